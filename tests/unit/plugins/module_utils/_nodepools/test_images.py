"""Images that there cannot be are told from the inputs alone."""

from __future__ import annotations

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.build import node_class
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.images import alias_errors, image_errors

from .samples import CLASS_OPTIONS


@pytest.mark.parametrize(
    ("alias", "minor", "said"),
    [
        ("al2023@latest", (1, 36), ""),
        ("al2023@v20260301", (1, 36), ""),
        ("al2023@2026", (1, 36), "'2026' is no release of AL2023"),
        ("bottlerocket@1.48.0", (1, 34), ""),
        ("bottlerocket@v1.48.0", (1, 34), ""),
        ("windows2022@v20260101", (1, 34), "is no release of Windows2022"),
        ("windows2025@latest", (1, 34), "publishes none before 1.35"),
        ("windows2025@latest", (1, 35), ""),
        ("al2@latest", (1, 32), ""),
        ("al2@latest", (1, 33), "publishes none after 1.32"),
        ("al2@latest", None, ""),
        ("ubuntu@latest", (1, 35), "There is no AMI family 'ubuntu'"),
        ("al2023", (1, 35), ""),  # the schema tells
    ],
)
def test_an_alias(alias: str, minor: tuple[int, int] | None, said: str) -> None:
    item = node_class(CLASS_OPTIONS | {"ami_selector_terms": [{"alias": alias}]})
    found = list(alias_errors(item, minor))
    assert [path for path, _ in found] == (["spec.amiSelectorTerms[0].alias"] if said else [])
    assert said in " ".join(str(error) for _, error in found)


def test_family_and_release_are_told_together() -> None:
    assert len(image_errors("AL2", "v2026", (1, 36))) == 2
