# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What a live object has otherwise than its chart rendered it, above all the Deployment. Pure. Private to the
collection.

The API server adds defaults and writes quantities its own way, so what the chart states has to be there, and more may
be, but for what would change the controller: an environment variable, a resource, a node selector, a pause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._kubernetes.quantity import same

Path = tuple[str, ...]
WHOLE = frozenset({"requests", "limits", "nodeSelector", "selector", "matchLabels"})
"""Mappings in which nothing may be added: each of their entries decides where a pod runs, or which pods are meant."""
QUANTITIES = frozenset({"divisor", "sizeLimit"})
TOLD = frozenset({"replicas", "image", "serviceAccountName", "paused", "cpu", "memory"})
"""Fields whose values are shown. Others may hold what is nobody's business, such as a key put into the environment."""
OWN_MANAGERS = frozenset({"helm", "kube-controller-manager"})


def differences(rendered: Mapping[str, Any], live: Mapping[str, Any] | None) -> list[str]:
    """One sentence for each field that differs; none where the Deployment is as its chart rendered it."""
    name = rendered["metadata"]["name"]
    if live is None or live["metadata"]["name"] != name:
        return [f"Deployment {name} is not there"]
    # A roll-out that is paused never comes to its end; no chart pauses one.
    wanted = {"paused": False, **rendered["spec"]}
    return list(stated(wanted, live["spec"], ("spec",)))


def writers(live: Mapping[str, Any] | None) -> list[str]:
    """Who besides Helm has written the Deployment's specification, and when, as far as the API server knows."""
    fields = ((live or {}).get("metadata") or {}).get("managedFields") or ()
    others = [
        entry for entry in fields if entry.get("manager") not in OWN_MANAGERS and entry.get("subresource") != "status"
    ]
    return [f"{entry.get('manager')} at {entry.get('time')}" for entry in others]


def stated(want: Any, have: Any, path: Path) -> Iterator[str]:
    """The sentences for one field of any object; ``path`` has at least two steps, of which an empty one is not told."""
    if want is None:
        return
    if isinstance(want, Mapping):
        yield from _mapping(want, have if isinstance(have, Mapping) else {}, path)
    elif isinstance(want, list) and want and all(isinstance(item, Mapping) and "name" in item for item in want):
        yield from _named(want, have or [], path)
    elif isinstance(want, list):
        yield from _items(want, have or [], path)
    elif not _same(want, have, path):
        yield _sentence(want, have, path)


def _mapping(want: Mapping[str, Any], have: Mapping[str, Any], path: Path) -> Iterator[str]:
    for key, value in want.items():
        yield from stated(value, have.get(key), (*path, key))
    if path[-1] in WHOLE:
        yield from (f"{_text((*path, key))} is not the chart's" for key in have if key not in want)


def _named(want: list[Any], have: list[Any], path: Path) -> Iterator[str]:
    """Lists whose items have names: containers, environment, ports, volumes."""
    found = {item.get("name"): item for item in have}
    for item in want:
        place = (*path[:-1], f"{path[-1]}[{item['name']}]")
        if item["name"] in found:
            yield from stated(item, found[item["name"]], place)
        else:
            yield f"{_text(place)} is not there"
    if path[-1] == "env":
        names = {item["name"] for item in want}
        yield from (f"{_text(path)}[{name}] is not the chart's" for name in found if name not in names)


def _items(want: list[Any], have: list[Any], path: Path) -> Iterator[str]:
    """Other lists, which are told as a whole: arguments, tolerations, terms."""
    pairs = zip(want, have, strict=False)
    if len(want) != len(have) or any(list(stated(one, other, path)) for one, other in pairs):
        yield f"{_text(path)} is not as the chart has it"


def _same(want: Any, have: Any, path: Path) -> bool:
    if have is None:
        return not want  # the API server leaves out what is empty
    if (path[-2] in WHOLE or path[-1] in QUANTITIES) and isinstance(want, str | int | float):
        return same(want, have)
    return bool(want == have)


def _sentence(want: Any, have: Any, path: Path) -> str:
    if path[-1] in TOLD:
        return f"{_text(path)} is {'not set' if have is None else have}, the chart says {want}"
    return f"{_text(path)} is not as the chart has it"


def _text(path: Path) -> str:
    return ".".join(step for step in path if step)
