# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The SSM and EC2 reads behind an image lookup. Private to the collection."""

from __future__ import annotations

from collections.abc import Sequence

from .._aws.client import Client
from .model import Image

# https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameters.html
NAMES_PER_CALL = 10
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeImages.html: 200 values of a filter
IMAGES_PER_CALL = 200


def parameter_values(client: Client, names: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The values of the parameters that exist, and the names of those that do not."""
    values: dict[str, str] = {}
    missing: list[str] = []
    for start in range(0, len(names), NAMES_PER_CALL):
        answer = client.call("get_parameters", Names=list(names[start : start + NAMES_PER_CALL]))
        values |= {item["Name"]: item["Value"] for item in answer["Parameters"]}
        missing += answer.get("InvalidParameters", [])
    return values, missing


def parameter_names(client: Client, path: str) -> list[str]:
    """The names of all public parameters below a path."""
    return [item["Name"] for item in client.pages("get_parameters_by_path", "Parameters", Path=path, Recursive=True)]


def images(client: Client, image_ids: Sequence[str]) -> dict[str, Image]:
    """The images that exist, by id.

    By filter and not by ImageIds, because one unknown id would make the whole call fail; deprecated ones included,
    because a pin outlives the deprecation of its image.
    """
    found: dict[str, Image] = {}
    wanted = sorted(set(image_ids))
    for start in range(0, len(wanted), IMAGES_PER_CALL):
        chosen = [{"Name": "image-id", "Values": wanted[start : start + IMAGES_PER_CALL]}]
        for item in client.pages("describe_images", "Images", Filters=chosen, IncludeDeprecated=True):
            image = Image.from_api(item)
            found[image.image_id] = image
    return found
