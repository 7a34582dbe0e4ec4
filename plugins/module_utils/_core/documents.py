# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""YAML documents, read by PyYAML. Private to the collection."""

from __future__ import annotations

from typing import Any

from .errors import EksopsError


def require_yaml() -> Any:
    """PyYAML, imported on first use: a machine without it is told in a sentence. Raises EksopsError."""
    try:
        import yaml
    except ImportError as error:
        raise EksopsError(
            "The Python library PyYAML is not installed",
            where="the interpreter of ansible_python_interpreter",
            next_step="pip install PyYAML for that interpreter",
        ) from error
    return yaml


def load_yaml(text: str, what: str, where: str | None = None) -> Any:
    """The one document of the text, read by the C parser where there is one.

    :param what: names it in the error. Raises EksopsError for a text that is no YAML.
    """
    yaml = require_yaml()
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise EksopsError(f"{what} is no YAML: {error}", where=where) from error
