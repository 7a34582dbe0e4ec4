"""Forms in words are those of patterns that the schemas have."""

from __future__ import annotations

import json
import re

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.forms import FORMS
from ansible_collections.eksops.karpenter.plugins.module_utils._nodepools.schemas import spec_schema

SCHEMAS = json.dumps([spec_schema("NodePool"), spec_schema("EC2NodeClass")])


@pytest.mark.parametrize("pattern", FORMS)
def test_the_pattern_is_one_of_the_schemas(pattern: str) -> None:
    assert json.dumps(pattern) in SCHEMAS


@pytest.mark.parametrize("pattern", FORMS)
def test_the_examples_in_the_words_have_the_form(pattern: str) -> None:
    words = FORMS[pattern]
    examples = re.findall(r"\b\d+[hm%\dm]*", words) + (["Never"] if "Never" in words else [])
    assert [example for example in examples if not re.search(pattern, example)] == []
