"""Reports as ginkgo writes them, cut down to what is read."""

from __future__ import annotations

from typing import Any


def entry(text: str, state: str = "passed", **more: Any) -> dict[str, Any]:
    """The report of one spec, in a container called Things."""
    return {
        "ContainerHierarchyTexts": ["Things"],
        "LeafNodeType": "It",
        "LeafNodeText": text,
        "State": state,
        "RunTime": 33_400_000_000,
        **more,
    }


def failure(message: str, stage: str = "It") -> dict[str, Any]:
    """What a failed spec has beside its state."""
    location = {"FileName": "/somewhere/expectations.go", "LineNumber": 42}
    return {"Failure": {"Message": message, "Location": location, "FailureNodeType": stage}}


def report(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    """A whole report: one suite, and the node before all specs that is none of them."""
    before = {**entry(""), "LeafNodeType": "BeforeSuite", "ContainerHierarchyTexts": None}
    return [{"SuiteDescription": "Small", "SpecReports": [before, *entries]}]
