"""The controller's lines, as Karpenter 1.14 writes them, in one sentence each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.eksops.karpenter.plugins.module_utils._scale_test.narration import of_event, of_line

from .story import event

NODE = '"Node":{"name":"ip-192-168-128-5.us-west-2.compute.internal"}'
CLAIM = '"NodeClaim":{"name":"default-l8scd"}'


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            '{"level":"INFO","message":"found provisionable pod(s)","Pods":"a/x, a/y and 40 other(s)"}',
            "sees 42 pods that fit on no node: a/x, a/y and 40 other(s)",
        ),
        (
            '{"level":"INFO","message":"found provisionable pod(s)","Pods":"a/x"}',
            "sees 1 pod that fits on no node: a/x",
        ),
        (
            '{"level":"INFO","message":"computed new nodeclaim(s) to fit pod(s)","nodeclaims":1,"pods":5}',
            "decides on 1 new node for 5 pods",
        ),
        (
            f'{{"level":"INFO","message":"created nodeclaim","NodePool":{{"name":"default"}},{CLAIM},'
            '"requests":{"cpu":"5150m","pods":"8"},"instance-types":"c3.2xlarge and 539 other(s)"}',
            "asks for default-l8scd from pool default (5150m cpu, 8 pods) as one of c3.2xlarge and 539 other(s)",
        ),
        (
            f'{{"level":"INFO","message":"launched nodeclaim",{CLAIM},"provider-id":"aws:///us-west-2a/i-07390",'
            '"instance-type":"c6a.2xlarge","zone":"us-west-2a","capacity-type":"on-demand"}',
            "launched default-l8scd: on-demand c6a.2xlarge in us-west-2a (i-07390)",
        ),
        (
            f'{{"level":"INFO","message":"registered nodeclaim",{CLAIM},{NODE}}}',
            "default-l8scd joined as node ip-192-168-128-5.us-west-2.compute.internal",
        ),
        (f'{{"level":"INFO","message":"initialized nodeclaim",{CLAIM}}}', "default-l8scd is ready for pods"),
        (
            '{"level":"INFO","message":"disrupting node(s)","command":"Empty/f4d11731: delete: nodepools=[default]: '
            '[ip-1] (savings: $0.31)","decision":"delete","disrupted-node-count":1,"replacement-node-count":0,'
            '"pod-count":0}',
            "disrupts 1 node with 0 pods, 0 replacements (Empty, saves $0.31 an hour)",
        ),
        (f'{{"level":"INFO","message":"deleted nodeclaim",{CLAIM}}}', "default-l8scd and its instance are gone"),
        (
            '{"level":"ERROR","message":"failed launching nodeclaim","error":"no capacity"}',
            "error: failed launching nodeclaim: no capacity",
        ),
        ('{"level":"INFO","message":"Starting workers"}', None),
        ('{"level":"DEBUG","message":"discovered ssm parameter"}', None),
    ],
)
def test_lines(line: str, sentence: str | None) -> None:
    assert of_line(json.loads(line)) == sentence


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        (event("FailedScheduling", ("Pod", "p1"), "no type"), "Pod p1: no type"),
        (event("FailedScheduling", ("Pod", "p1"), "0/2 nodes", component="default-scheduler"), None),
        (event("Nominated", ("Pod", "p1"), "Pod should schedule on"), None),
        (event("DisruptionBlocked", ("Node", "n1"), "Node is nominated for a pending pod"), None),
        (
            event("DisruptionBlocked", ("Node", "n1"), "pdb prevents pod evictions"),
            "Node n1: pdb prevents pod evictions",
        ),
    ],
)
def test_events(item: dict[str, Any], sentence: str | None) -> None:
    assert of_event(item) == sentence
