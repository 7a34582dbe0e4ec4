"""EC2's instances on demand as the price list's products, from the vendored prices. Pure.

https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-service-price-list-file-for-services.html
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: The codes of an offer on demand, and of its price per hour; the same in every product.
_ON_DEMAND, _HOURS = "JRTCKXETXF", "6YS6EN2CT7"
_COMMON = {
    "servicecode": "AmazonEC2",
    "servicename": "Amazon Elastic Compute Cloud",
    "locationType": "AWS Region",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "operation": "RunInstances",
    "licenseModel": "No License required",
    "marketoption": "OnDemand",
}
#: Attributes that products can be found by.
NAMES = (*_COMMON, "instanceType", "regionCode", "location", "tenancy", "productFamily", "vcpu", "memory")


@dataclass(frozen=True)
class PriceList:
    """The prices in US dollars per hour by instance type, and when AWS published them."""

    prices: Mapping[str, float]
    published: str


@dataclass(frozen=True)
class Product:
    """An instance type in a region."""

    instance_type: str
    region: str
    attributes: Mapping[str, str]

    @property
    def sku(self) -> str:
        """Of the form of AWS's, and the same in every sandbox."""
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self.region}/{self.instance_type}").hex[:16].upper()

    def view(self, prices: PriceList) -> dict[str, Any]:
        """The product as one entry of a PriceList."""
        offer = f"{self.sku}.{_ON_DEMAND}"
        price = prices.prices[self.instance_type]
        dimension = {
            "unit": "Hrs",
            "beginRange": "0",
            "endRange": "Inf",
            "description": f"${price:g} per On Demand Linux {self.instance_type} Instance Hour",
            "appliesTo": [],
            "rateCode": f"{offer}.{_HOURS}",
            "pricePerUnit": {"USD": f"{price:.10f}"},
        }
        term = {
            "priceDimensions": {f"{offer}.{_HOURS}": dimension},
            "sku": self.sku,
            "effectiveDate": prices.published,
            "offerTermCode": _ON_DEMAND,
            "termAttributes": {},
        }
        attributes = {name: value for name, value in self.attributes.items() if name != "productFamily"}
        family = self.attributes["productFamily"]
        return {
            "product": {"productFamily": family, "attributes": attributes, "sku": self.sku},
            "serviceCode": "AmazonEC2",
            "terms": {"OnDemand": {offer: term}},
            "version": prices.published.replace("-", "").replace(":", "").replace("T", "").replace("Z", ""),
            "publicationDate": prices.published,
        }


def product(instance_type: str, region: str, location: str, size: tuple[int, int] | None) -> Product:
    """A product; ``size`` is in vCPUs and MiB. Bare metal is a family of its own and always dedicated."""
    metal = ".metal" in instance_type
    attributes = _COMMON | {
        "instanceType": instance_type,
        "regionCode": region,
        "location": location,
        "productFamily": "Compute Instance (bare metal)" if metal else "Compute Instance",
        "tenancy": "Dedicated" if metal else "Shared",
    }
    if size is not None:
        attributes |= {"vcpu": str(size[0]), "memory": f"{size[1] / 1024:g} GiB"}
    return Product(instance_type, region, attributes)


def matches(product: Product, filters: list[Mapping[str, str]]) -> bool:
    """Whether a product passes all filters; names of fields and values are compared whatever their case.

    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_Filter.html
    """
    return all(_matches(product, one) for one in filters)


def _matches(product: Product, wanted: Mapping[str, str]) -> bool:
    known = {name.lower(): value.lower() for name, value in product.attributes.items()}
    found, value = known.get(wanted["Field"].lower()), wanted["Value"].lower()
    if wanted["Type"] in ("ANY_OF", "NONE_OF"):
        among = found in [one.strip() for one in value.split(",")]
        return among is (wanted["Type"] == "ANY_OF")
    if wanted["Type"] == "CONTAINS":
        return found is not None and value in found
    return found == value


def regions_of(filters: list[Mapping[str, str]], locations: Mapping[str, str]) -> Iterator[str]:
    """The regions that filters of regions leave, so that not all products of all regions are looked at."""
    about = [one for one in filters if one["Field"].lower() in ("regioncode", "location")]
    for region, location in locations.items():
        if matches(Product("", region, {"regionCode": region, "location": location}), about):
            yield region
