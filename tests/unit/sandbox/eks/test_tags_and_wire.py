"""Tagging through boto3, and the wire form: what the model does not allow, and what is not JSON."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from sandbox.contracts import Call, HttpRequest, HttpResponse, Principal
from sandbox.eks.errors import UNIMPLEMENTED_HEADER, EksError
from sandbox.eks.service import EksService
from sandbox.eks.store import Store
from sandbox.eks.wire import Protocol

from .helpers import code_of
from .world import Tenant


def test_every_resource_can_be_tagged(tenant: Tenant) -> None:
    cluster = tenant.cluster(tags={"a": "1"})
    group = tenant.nodegroup(tags={"a": "1"})["nodegroupArn"]
    addon = tenant.eks.create_addon(clusterName="demo", addonName="coredns", tags={"a": "1"})["addon"]["addonArn"]
    place = {"clusterName": "demo", "namespace": "n", "serviceAccount": "s", "roleArn": tenant.pod_role()}
    association = tenant.eks.create_pod_identity_association(**place, tags={"a": "1"})["association"]
    team = tenant.role("team", "ec2.amazonaws.com", path="/p/")
    entry = tenant.eks.create_access_entry(clusterName="demo", principalArn=team, tags={"a": "1"})["accessEntry"]
    for arn in (cluster["arn"], group, addon, association["associationArn"], entry["accessEntryArn"]):
        tenant.eks.tag_resource(resourceArn=arn, tags={"b": "2"})
        tenant.eks.untag_resource(resourceArn=arn, tagKeys=["a"])
        assert tenant.eks.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    described = tenant.eks.describe_cluster(name="demo")["cluster"]
    assert described["tags"] == {"b": "2"}


def test_bad_tags_name_what_is_wrong(tenant: Tenant) -> None:
    arn = tenant.cluster()["arn"]
    assert code_of(lambda: tenant.eks.tag_resource(resourceArn=arn, tags={"aws:a": "b"}))[0] == "BadRequestException"
    many = {str(number): "x" for number in range(30)}
    tenant.eks.tag_resource(resourceArn=arn, tags=many)
    more = {f"m{number}": "x" for number in range(30)}
    assert code_of(lambda: tenant.eks.tag_resource(resourceArn=arn, tags=more))[0] == "BadRequestException"
    assert code_of(lambda: tenant.eks.tag_resource(resourceArn=f"{arn}x", tags={"a": "b"}))[0] == "NotFoundException"
    foreign = "arn:aws:eks:us-west-2:111122223333:cluster/demo"
    assert code_of(lambda: tenant.eks.list_tags_for_resource(resourceArn=foreign))[0] == "BadRequestException"


def _request(method: str, path: str, body: Any = None, query: str = "") -> HttpRequest:
    text = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return HttpRequest(method, path, query, {}, text)


def _parse(request: HttpRequest) -> tuple[str, dict[str, Any]]:
    protocol = Protocol("eks")
    operation, in_path = protocol.route(request)
    return operation.name, protocol.parse(operation, in_path, request)


def test_paths_are_decoded_after_they_are_routed() -> None:
    arn = "arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%2Fb"
    name, params = _parse(_request("GET", f"/clusters/demo/access-entries/{arn}"))
    assert (name, params["principalArn"]) == ("DescribeAccessEntry", "arn:aws:iam::1:role/a/b")
    name, params = _parse(_request("DELETE", "/clusters/demo/addons/coredns", query="preserve=true"))
    assert (name, params["preserve"]) == ("DeleteAddon", True)
    name, params = _parse(_request("DELETE", "/tags/arn", query="tagKeys=a&tagKeys=b"))
    assert (name, params["tagKeys"]) == ("UntagResource", ["a", "b"])


@pytest.mark.parametrize(
    ("request_", "code", "says"),
    [
        (_request("GET", "/nothing"), "UnknownOperationException", "/nothing"),
        (_request("PUT", "/clusters"), "UnknownOperationException", "PUT /clusters"),
        (_request("POST", "/clusters", b"{"), "SerializationException", "not JSON"),
        (_request("POST", "/clusters", []), "SerializationException", "Expected a structure"),
        (_request("POST", "/clusters", {"name": "a"}), "InvalidParameterException", "roleArn"),
        (_request("POST", "/clusters", {"nome": "a"}), "InvalidParameterException", "Unknown member 'nome'"),
        (_request("POST", "/clusters", {"name": 1}), "InvalidParameterException", "name"),
        (_request("GET", "/clusters", query="maxResults=many"), "InvalidParameterException", "whole number"),
        (_request("GET", "/clusters", query="maxResults=101"), "InvalidParameterException", "at most 100"),
        (_request("GET", "/clusters", query="maxResults=0"), "InvalidParameterException", "0"),
        (
            _request("DELETE", "/clusters/a/addons/b", query="preserve=yes"),
            "InvalidParameterException",
            "true or false",
        ),
    ],
)
def test_requests_that_the_model_does_not_allow(request_: HttpRequest, code: str, says: str) -> None:
    with pytest.raises(EksError, match=code) as caught:
        _parse(request_)
    assert says in caught.value.message


def test_nulls_count_as_absent() -> None:
    body = {"name": "a", "roleArn": "r", "resourcesVpcConfig": {"subnetIds": ["s"]}, "version": None, "tags": None}
    assert "version" not in _parse(_request("POST", "/clusters", body))[1]


def test_answers_hold_only_what_the_model_knows() -> None:
    protocol = Protocol("eks")
    operation, _ = protocol.route(_request("GET", "/clusters"))
    assert json.loads(protocol.answer(operation, {"clusters": ["a"], "nextToken": None}).body) == {"clusters": ["a"]}
    with pytest.raises(KeyError, match="no member clusterz"):
        protocol.answer(operation, {"clusterz": []})


def _handle(service: EksService, request: HttpRequest) -> HttpResponse:
    principal = Principal("123456789012", "arn:aws:iam::123456789012:user/me", "AIDA")
    return asyncio.run(service.handle(Call(principal, "us-west-2", "eks", "", request)))


def test_unimplemented_operations_carry_the_mark_for_the_log(tenant: Tenant, tmp_path: Path) -> None:
    world = tenant.world
    service = EksService(world.front, world.planes, world.agents, tmp_path)
    answer = _handle(service, _request("GET", "/clusters/a/fargate-profiles", {}))
    assert (answer.status, answer.headers[UNIMPLEMENTED_HEADER]) == (501, "true")
    assert answer.headers["x-amzn-errortype"] == "UnsupportedOperationException"


def test_a_fault_of_the_sandbox_is_answered_and_logged(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = tenant.world
    service = EksService(world.front, world.planes, world.agents, tmp_path)
    monkeypatch.setattr(service.context.store, "of", lambda *_: 1 / 0)
    with caplog.at_level(logging.ERROR):
        answer = _handle(service, _request("GET", "/clusters"))
    assert answer.status == 500
    assert "ZeroDivisionError" in caplog.text


def test_what_is_kept_survives_a_restart(tenant: Tenant) -> None:
    tenant.cluster()
    tenant.nodegroup()
    records = tenant.world.call(lambda: tenant.world.service.context.store.dump(tenant.id))
    kept = Store()
    kept.restore(json.loads(json.dumps(records)))
    cluster = kept.get(tenant.key("demo"))
    assert cluster.nodegroups["system"].desired_size == 2
    assert cluster == tenant.world.service.context.store.get(tenant.key("demo"))
