"""The price list through boto3: the question that Karpenter asks, and those of people."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .world import code

KARPENTER = {
    "regionCode": "us-west-2",
    "serviceCode": "AmazonEC2",
    "preInstalledSw": "NA",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
    "tenancy": "Shared",
    "productFamily": "Compute Instance",
}


def _filters(kind: str = "TERM_MATCH", **wanted: str) -> list[dict[str, str]]:
    return [{"Type": kind, "Field": field, "Value": value} for field, value in wanted.items()]


@pytest.fixture
def pricing(aws: Any) -> Any:
    return aws.client("pricing", "us-east-1")


def _products(pricing: Any, *filters: dict[str, str]) -> list[dict[str, Any]]:
    pages = pricing.get_paginator("get_products").paginate(ServiceCode="AmazonEC2", Filters=list(filters))
    return [json.loads(one) for page in pages for one in page["PriceList"]]


def _types(pricing: Any, *filters: dict[str, str]) -> list[str]:
    found = _products(pricing, *_filters(regionCode="us-west-2"), *filters)
    return [one["product"]["attributes"]["instanceType"] for one in found]


def test_what_karpenter_asks_has_a_price_for_each_type(pricing: Any) -> None:
    found = _products(pricing, *_filters(**KARPENTER))
    assert len(found) > 1000
    prices = {}
    for one in found:
        [term] = one["terms"]["OnDemand"].values()
        [dimension] = term["priceDimensions"].values()
        prices[one["product"]["attributes"]["instanceType"]] = dimension["pricePerUnit"]["USD"]
        assert term["sku"] == one["product"]["sku"]
        assert dimension["unit"] == "Hrs"
    assert len(prices) == len(found)
    assert prices["m5.large"] == "0.0960000000"
    assert not any(".metal" in name for name in prices)


def test_a_product_is_shaped_as_aws_shapes_it(pricing: Any) -> None:
    [one] = _products(pricing, *_filters(**KARPENTER, instanceType="m5.large"))
    assert set(one) == {"product", "serviceCode", "terms", "version", "publicationDate"}
    attributes = one["product"]["attributes"]
    assert one["product"]["productFamily"] == "Compute Instance"
    assert (attributes["vcpu"], attributes["memory"]) == ("2", "8 GiB")
    assert attributes["location"] == "US West (Oregon)"
    assert one["publicationDate"] == "2026-07-06T14:20:29Z"
    assert one["version"] == "20260706142029"
    [term] = one["terms"]["OnDemand"].values()
    [(rate, dimension)] = term["priceDimensions"].items()
    assert rate == dimension["rateCode"] == f"{one['product']['sku']}.JRTCKXETXF.6YS6EN2CT7"


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("TERM_MATCH", "M5.Large", ["m5.large"]),
        ("EQUALS", "m5.large", ["m5.large"]),
        ("EQUALS", "m5", []),
        ("CONTAINS", "p5en", ["p5en.48xlarge"]),
        ("ANY_OF", "m5.large, c5.large", ["c5.large", "m5.large"]),
    ],
)
def test_each_type_of_filter(pricing: Any, kind: str, value: str, expected: list[str]) -> None:
    assert _types(pricing, *_filters(kind, instanceType=value)) == expected


def test_none_of_leaves_those_out_and_two_filters_of_a_field_are_both_heeded(pricing: Any) -> None:
    family = _filters("CONTAINS", instanceType="m5.")
    assert "m5.large" in _types(pricing, *family)
    without = _types(pricing, *family, *_filters("NONE_OF", instanceType="m5.large,m5.xlarge"))
    assert "m5.2xlarge" in without
    assert not {"m5.large", "m5.xlarge"} & set(without)


def test_regions_are_those_of_aws_by_code_or_by_name(pricing: Any) -> None:
    one = _filters(instanceType="m5.large")
    assert len(_products(pricing, *one)) > 20
    [frankfurt] = _products(pricing, *one, *_filters(location="EU (Frankfurt)"))
    assert frankfurt["product"]["attributes"]["regionCode"] == "eu-central-1"
    assert _products(pricing, *one, *_filters(regionCode="mars-north-1")) == []


def test_pages_go_on_where_the_one_before_ended_and_tokens_fit_one_request(pricing: Any) -> None:
    wanted: dict[str, Any] = {"ServiceCode": "AmazonEC2", "Filters": _filters(**KARPENTER)}
    first = pricing.get_products(**wanted, MaxResults=2)
    second = pricing.get_products(**wanted, MaxResults=2, NextToken=first["NextToken"])
    assert len(first["PriceList"]) == len(second["PriceList"]) == 2
    assert not set(first["PriceList"]) & set(second["PriceList"])
    with pytest.raises(ClientError) as error:
        pricing.get_products(ServiceCode="AmazonEC2", NextToken=first["NextToken"])
    assert code(error) == "InvalidNextTokenException"
    with pytest.raises(ClientError) as error:
        pricing.get_products(**wanted, NextToken="nonsense")
    assert code(error) == "InvalidNextTokenException"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ServiceCode": "AmazonS3"}, "NotFoundException"),
        ({"FormatVersion": "aws_v2"}, "InvalidParameterException"),
        ({"Filters": _filters("LIKE", instanceType="m5.large")}, "InvalidParameterException"),
    ],
)
def test_bad_requests(pricing: Any, change: dict[str, Any], expected: str) -> None:
    with pytest.raises(ClientError) as error:
        pricing.get_products(**({"ServiceCode": "AmazonEC2"} | change))
    assert code(error) == expected


def test_services_and_attributes_can_be_listed(pricing: Any) -> None:
    [service] = pricing.describe_services(ServiceCode="AmazonEC2")["Services"]
    assert {"instanceType", "location", "tenancy"} <= set(service["AttributeNames"])
    values = pricing.get_attribute_values(ServiceCode="AmazonEC2", AttributeName="tenancy")["AttributeValues"]
    assert values == [{"Value": "Dedicated"}, {"Value": "Shared"}]
    with pytest.raises(ClientError) as error:
        pricing.get_attribute_values(ServiceCode="AmazonEC2", AttributeName="unicorn")
    assert code(error) == "NotFoundException"
