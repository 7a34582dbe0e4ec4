"""The price list's GetProducts for EC2 on demand, from the vendored prices.

https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from sandbox.contracts import Call, HttpResponse
from sandbox.emulators.ec2.prices import price_list
from sandbox.front import errors
from sandbox.front.catalog import json_body
from sandbox.front.errors import AwsError

_ATTRIBUTES = {
    "servicecode": "AmazonEC2",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "operation": "RunInstances",
    "licenseModel": "No License required",
    "marketoption": "OnDemand",
}
_PER_PAGE = 100


class Pricing:
    """GetProducts; any other operation is answered as not implemented."""

    async def handle(self, call: Call) -> HttpResponse:
        """Answer the call."""
        request_id = str(uuid.uuid4())
        if call.action != "GetProducts":
            return errors.render(errors.not_implemented("pricing", call.action, "json"), "json", request_id)
        given = json_body(call.request)
        if given.get("ServiceCode") != "AmazonEC2":
            text = f"The sandbox has prices of AmazonEC2 alone, not of {given.get('ServiceCode')}."
            return errors.render(AwsError("NotFoundException", text, 400, True), "json", request_id)
        names, region = _matching(given.get("Filters") or [])
        start = int(given.get("NextToken") or 0)
        end = start + int(given.get("MaxResults") or _PER_PAGE)
        answer: dict[str, Any] = {
            "FormatVersion": "aws_v1",
            "PriceList": [json.dumps(_product(name, region)) for name in names[start:end]],
        }
        if end < len(names):
            answer["NextToken"] = str(end)
        headers = {"content-type": "application/x-amz-json-1.1", "x-amzn-requestid": request_id}
        return HttpResponse(200, headers, json.dumps(answer).encode())


def _matching(filters: list[dict[str, str]]) -> tuple[list[str], str]:
    """The instance types that pass the filters (all joined by AND), and the region that these name."""
    wanted = {one.get("Field", "").lower(): one.get("Value", "") for one in filters}
    region = wanted.get("regioncode", "us-east-1")
    names = []
    for name in sorted(price_list()):
        known = {field.lower(): value for field, value in _attributes(name, region).items()}
        if all(known.get(field) == value for field, value in wanted.items()):
            names.append(name)
    return names, region


def _attributes(name: str, region: str) -> dict[str, str]:
    """The attributes of a product; bare metal is a family of its own and always dedicated."""
    metal = ".metal" in name
    family = "Compute Instance (bare metal)" if metal else "Compute Instance"
    tenancy = "Dedicated" if metal else "Shared"
    return _ATTRIBUTES | {"instanceType": name, "regionCode": region, "productFamily": family, "tenancy": tenancy}


def _product(name: str, region: str) -> dict[str, Any]:
    sku = uuid.uuid5(uuid.NAMESPACE_URL, f"{region}/{name}").hex[:16].upper()
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": f"{price_list()[name]:.10f}"}}
    term = {"priceDimensions": {f"{sku}.JRTCKXETXF.6YS6EN2CT7": dimension}, "sku": sku, "offerTermCode": "JRTCKXETXF"}
    attributes = _attributes(name, region)
    return {
        "product": {"productFamily": attributes.pop("productFamily"), "sku": sku, "attributes": attributes},
        "serviceCode": "AmazonEC2",
        "terms": {"OnDemand": {f"{sku}.JRTCKXETXF": term}},
    }
