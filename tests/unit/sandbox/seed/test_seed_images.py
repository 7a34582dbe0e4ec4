"""What AWS publishes: names, paths, owners, architectures and dates that agree with one another."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.seed import table
from sandbox.seed.images import publications

AL2023 = re.compile(r"amazon-eks-node-al2023-(x86_64|arm64)-(standard|nvidia|neuron)-(1\.\d\d)-v(\d{8})")
EVERYTHING = list(publications())
PATHS = {parameter.path: (one.image, parameter) for one in EVERYTHING for parameter in one.parameters}


def test_names_and_ids_are_unique_and_stable() -> None:
    names = [one.image.name for one in EVERYTHING]
    assert len(set(names)) == len(names)
    ids = {one.image.id(region) for one in EVERYTHING for region in ("us-west-2", "us-east-1")}
    assert len(ids) == 2 * len(names)
    assert all(re.fullmatch(r"ami-[0-9a-f]{17}", one) for one in ids)
    first = next(one.image for one in EVERYTHING if one.image.name.endswith("x86_64-standard-1.36-v20261106"))
    assert first.id("us-west-2") == "ami-7d662c7d6765eaa91"


def test_creation_dates_agree_with_the_releases() -> None:
    for one in EVERYTHING:
        if match := AL2023.fullmatch(one.image.name):
            assert f"{one.image.created:%Y%m%d}" == match[4]
        assert one.image.created.date() < date(2026, 11, 30)
        assert one.image.deprecated.year == one.image.created.year + 2


def test_architectures_agree_with_names() -> None:
    for one in EVERYTHING:
        arm = "arm64" in one.image.name
        assert one.image.architecture == ("arm64" if arm else "x86_64")


@pytest.mark.parametrize("minor", table.MINORS)
def test_every_minor_has_what_karpenter_looks_for(minor: str) -> None:
    """The paths that Karpenter 1.14 asks for, of al2023.go, bottlerocket.go and windows.go."""
    eks = f"/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023"
    for release in table.RELEASES:
        for architecture, variant in table.AL2023_VARIANTS:
            name = f"amazon-eks-node-al2023-{architecture}-{variant}-{minor}-{release.version}"
            assert PATHS[f"{eks}/{architecture}/{variant}/{name}/image_id"][0].name == name
        for suffix in ("", "-nvidia"):
            for architecture in ("x86_64", "arm64"):
                short = release.bottlerocket.partition("-")[0]
                assert f"/aws/service/bottlerocket/aws-k8s-{minor}{suffix}/{architecture}/{short}/image_id" in PATHS
    newest = PATHS[f"{eks}/x86_64/standard/recommended/image_id"][0]
    assert newest.name.endswith(table.RELEASES[-1].version)
    for year in ("2019", "2022", "2025"):
        path = f"/aws/service/ami-windows-latest/Windows_Server-{year}-English-Core-EKS_Optimized-{minor}/image_id"
        assert PATHS[path][0].windows


def test_amazon_linux_2_ends_with_1_32() -> None:
    minors = {path.split("/")[5] for path in PATHS if "/amazon-linux-2/" in path}
    assert minors == {"1.32"}
    assert (
        PATHS["/aws/service/eks/optimized-ami/1.32/amazon-linux-2-gpu/recommended/image_name"][0].created.year == 2025
    )


def test_an_account_sees_them_in_each_region(aws: Any) -> None:
    base = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/arm64/standard/recommended"
    found = {}
    for region in ("us-west-2", "us-east-1", "eu-west-1"):
        ssm, ec2 = aws.client("ssm", region), aws.client("ec2", region)
        names = [f"{base}/{leaf}" for leaf in ("image_id", "image_name", "release_version")]
        values = {one["Name"].rpartition("/")[2]: one["Value"] for one in ssm.get_parameters(Names=names)["Parameters"]}
        assert json.loads(ssm.get_parameter(Name=base)["Parameter"]["Value"]) == {"schema_version": "2"} | values
        [image] = ec2.describe_images(ImageIds=[values["image_id"]])["Images"]
        assert image["Name"] == values["image_name"]
        assert (image["Architecture"], image["OwnerId"], image["State"]) == ("arm64", "602401143452", "available")
        assert image["CreationDate"].startswith("2026-11-06T")
        assert image["DeprecationTime"].startswith("2028-11-06T")
        assert values["release_version"] == "1.36.3-20261106"
        found[region] = values["image_id"]
        subnets = ec2.describe_subnets()["Subnets"]
        assert len({one["AvailabilityZone"] for one in subnets}) >= 3
    assert len(set(found.values())) == 3


def test_recommended_has_a_history(aws: Any) -> None:
    ssm = aws.client("ssm")
    base = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard"
    history = ssm.get_parameter_history(Name=f"{base}/recommended/image_name")["Parameters"]
    assert [one["Version"] for one in history] == [1, 2, 3]
    assert [one["Value"][-8:] for one in history] == ["20260904", "20261009", "20261106"]
    assert [f"{one['LastModifiedDate']:%Y%m%d}" for one in history] == ["20260904", "20261009", "20261106"]
    shown = ssm.get_parameter(Name=f"{base}/recommended/image_id")["Parameter"]
    assert shown["ARN"] == f"arn:aws:ssm:us-west-2::parameter{base}/recommended/image_id"
    assert ssm.get_parameter(Name=f"{base}/recommended/image_name:1")["Parameter"]["Value"].endswith("20260904")


def test_images_are_found_by_name_and_owner(aws: Any) -> None:
    ec2 = aws.client("ec2")
    wanted = [
        {"Name": "name", "Values": ["amazon-eks-node-al2023-x86_64-standard-1.36-*"]},
        {"Name": "architecture", "Values": ["x86_64"]},
    ]
    assert len(ec2.describe_images(Owners=["602401143452"], Filters=wanted)["Images"]) == 3
    assert len(ec2.describe_images(Owners=["amazon"], Filters=wanted)["Images"]) == 3
    assert ec2.describe_images(Owners=["self"], Filters=wanted)["Images"] == []
    windows = ec2.describe_images(Owners=["amazon"], Filters=[{"Name": "platform", "Values": ["windows"]}])["Images"]
    assert len(windows) == len(table.MINORS) * len(table.WINDOWS_YEARS) * len(table.RELEASES)


def test_public_parameters_cannot_be_written_and_are_nobodys(aws: Any) -> None:
    ssm = aws.client("ssm")
    with pytest.raises(ClientError) as error:
        ssm.put_parameter(Name="/aws/service/eks/x", Value="1", Type="String")
    assert error.value.response["Error"]["Code"] == "AccessDeniedException"
    assert ssm.describe_parameters()["Parameters"] == []
    ssm.put_parameter(Name="/mine", Value="1", Type="String")
    assert [one["Name"] for one in ssm.describe_parameters()["Parameters"]] == ["/mine"]
    with pytest.raises(ClientError) as error:
        ssm.get_parameter(Name="/aws/service/eks/optimized-ami/1.33/amazon-linux-2/recommended/image_id")
    assert error.value.response["Error"]["Code"] == "ParameterNotFound"


@pytest.mark.parametrize(
    ("operation", "options"),
    [
        ("delete_parameter", {"Name": "{}"}),
        ("delete_parameters", {"Names": ["{}"]}),
        ("label_parameter_version", {"Name": "{}", "Labels": ["mine"]}),
        (
            "add_tags_to_resource",
            {"ResourceType": "Parameter", "ResourceId": "{}", "Tags": [{"Key": "a", "Value": "b"}]},
        ),
        ("remove_tags_from_resource", {"ResourceType": "Parameter", "ResourceId": "{}", "TagKeys": ["a"]}),
    ],
)
def test_no_account_changes_what_all_share(aws: Any, operation: str, options: dict[str, Any]) -> None:
    name = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/arm64/standard/recommended/image_id"
    ssm = aws.client("ssm")
    with pytest.raises(ClientError) as error:
        getattr(ssm, operation)(**json.loads(json.dumps(options).replace("{}", name)))
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501
    assert ssm.get_parameter(Name=name)["Parameter"]["Value"].startswith("ami-")
