"""The price list: EC2's instances on demand, by region.

https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html
"""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from collections.abc import Mapping
from functools import cache
from typing import Any

import botocore.session

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators import products
from sandbox.emulators.ec2.prices import price_list, published
from sandbox.emulators.products import PriceList, Product
from sandbox.front import errors
from sandbox.front.catalog import json_body
from sandbox.front.errors import AwsError

_MOST = 100
_TYPES = ("TERM_MATCH", "EQUALS", "CONTAINS", "ANY_OF", "NONE_OF")
#: The price list calls the older regions of Europe by another name than other services.
_EU = ("eu-central-1", "eu-north-1", "eu-south-1", "eu-west-1", "eu-west-2", "eu-west-3")


class _RefusedError(Exception):
    """A request that is answered with an error."""

    def __init__(self, answer: AwsError) -> None:
        super().__init__(answer.message)
        self.answer = answer


class Pricing:
    """The operations; any other one is answered as not implemented."""

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        request_id = str(uuid.uuid4())
        operations = {
            "GetProducts": _get_products,
            "DescribeServices": _describe_services,
            "GetAttributeValues": _get_attribute_values,
        }
        operation = operations.get(call.action)
        if operation is None:
            return errors.render(errors.not_implemented("pricing", call.action, "json"), "json", request_id)
        try:
            answer = operation(json_body(call.request))
        except _RefusedError as error:
            return errors.render(error.answer, "json", request_id)
        headers = {"content-type": "application/x-amz-json-1.1", "x-amzn-requestid": request_id}
        return HttpResponse(200, headers, json.dumps(answer).encode())


def _get_products(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html"""
    _check_service(given.get("ServiceCode"))
    filters = _filters(given)
    regions = products.regions_of(filters, _locations())
    found = [one for region in regions for one in _products(region) if products.matches(one, filters)]
    prices = PriceList(price_list(), published())
    page = _page(given, found, _MOST)
    return {
        "FormatVersion": "aws_v1",
        "PriceList": [json.dumps(one.view(prices)) for one in page.pop("items")],
    } | page


def _describe_services(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_DescribeServices.html"""
    if given.get("ServiceCode") is not None:
        _check_service(given["ServiceCode"])
    service = {"ServiceCode": "AmazonEC2", "AttributeNames": sorted(products.NAMES)}
    page = _page(given, [service], _MOST)
    return {"FormatVersion": "aws_v1", "Services": page.pop("items")} | page


def _get_attribute_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetAttributeValues.html"""
    _check_service(given.get("ServiceCode"))
    name = str(given.get("AttributeName", ""))
    if name not in products.NAMES:
        raise _error("NotFoundException", f"There is no attribute {name} of AmazonEC2.")
    values = {one.attributes[name] for region in _locations() for one in _products(region) if name in one.attributes}
    page = _page(given, [{"Value": value} for value in sorted(values)], 10_000)
    return {"AttributeValues": page.pop("items")} | page


def _check_service(code: str | None) -> None:
    if code is None:
        raise _error("InvalidParameterException", "ServiceCode is missing.")
    if code != "AmazonEC2":
        text = f"The sandbox has prices of AmazonEC2 alone, not of {code}."
        raise _error("NotFoundException", text, unimplemented=True)


def _filters(given: Mapping[str, Any]) -> list[Mapping[str, str]]:
    if given.get("FormatVersion", "aws_v1") != "aws_v1":
        raise _error("InvalidParameterException", "FormatVersion must be aws_v1.")
    filters: list[Mapping[str, str]] = given.get("Filters") or []
    for one in filters:
        if not {"Type", "Field", "Value"} <= one.keys() or one["Type"] not in _TYPES:
            raise _error("InvalidParameterException", f"A filter needs a field, a value and a type of {_TYPES}.")
    return filters


def _page(given: Mapping[str, Any], items: list[Any], most: int) -> dict[str, Any]:
    """A page of items; its token says where the next one begins, and in what it does."""
    size = given.get("MaxResults", most)
    if not isinstance(size, int) or not 1 <= size <= most:
        raise _error("InvalidParameterException", f"MaxResults must be between 1 and {most}.")
    request = {name: value for name, value in given.items() if name not in ("NextToken", "MaxResults")}
    mark = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(request, sort_keys=True)).hex
    start = 0
    if given.get("NextToken"):
        try:
            start_text, _, whose = base64.urlsafe_b64decode(str(given["NextToken"])).decode().partition("/")
            start = int(start_text)
        except (binascii.Error, ValueError) as error:
            raise _error("InvalidNextTokenException", "The pagination token is invalid.") from error
        if whose != mark:
            raise _error("InvalidNextTokenException", "The pagination token is of another request.")
    page: dict[str, Any] = {"items": items[start : start + size]}
    if start + size < len(items):
        page["NextToken"] = base64.urlsafe_b64encode(f"{start + size}/{mark}".encode()).decode()
    return page


def _error(code: str, text: str, *, unimplemented: bool = False) -> _RefusedError:
    return _RefusedError(AwsError(code, text, 400, unimplemented))


@cache
def _locations() -> dict[str, str]:
    """The regions of AWS's partition, and what the price list calls them."""
    session = botocore.session.get_session()
    [partition] = [one for one in session.get_data("endpoints")["partitions"] if one["partition"] == "aws"]
    known = session.get_available_regions("ec2")
    names = {region: str(partition["regions"][region]["description"]) for region in known}
    return {region: name.replace("Europe", "EU") if region in _EU else name for region, name in names.items()}


@cache
def _products(region: str) -> list[Product]:
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    found = []
    for name in sorted(price_list()):
        about = INSTANCE_TYPES.get(name)
        size = (about["VCpuInfo"]["DefaultVCpus"], about["MemoryInfo"]["SizeInMiB"]) if about else None
        found.append(products.product(name, region, _locations()[region], size))
    return found
