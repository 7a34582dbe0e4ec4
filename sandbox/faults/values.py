"""Selectors and parameters of faults: how each is read, and what is allowed. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sandbox.faults import labels
from sandbox.faults.model import FaultError, Value

_WORDS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Parameter:
    """One value of a kind of fault. ``read`` raises ValueError; ``allowed`` says what it takes."""

    name: str
    allowed: str
    read: Callable[[str], Value]
    default: Value | None = None
    required: bool = False

    def parse(self, text: str) -> Value:
        """The value. Raises FaultError that names what is allowed."""
        try:
            return self.read(text.strip())
        except ValueError as error:
            raise FaultError(f"{self.name}={text}: {self.name} is {self.allowed}") from error


def number(
    name: str, what: str, *, least: float = 0.0, most: float = math.inf, default: float | None = None
) -> Parameter:
    """A number within bounds."""

    def read(text: str) -> float:
        value = float(text)
        if not (least <= value <= most and math.isfinite(value)):
            raise ValueError(text)
        return value

    bounds = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of at least {least:g}"
    return Parameter(name, f"{what}, a number {bounds}", read, default)


def choice(name: str, what: str, values: Mapping[str, str] | tuple[str, ...], default: str | None = None) -> Parameter:
    """One of some words."""

    def read(text: str) -> str:
        if text not in values:
            raise ValueError(text)
        return text

    return Parameter(name, f"{what}: one of {', '.join(values)}", read, default, required=default is None)


def flag(name: str, what: str) -> Parameter:
    """Yes or no."""

    def read(text: str) -> bool:
        if text.lower() not in _WORDS:
            raise ValueError(text)
        return _WORDS[text.lower()]

    return Parameter(name, f"{what}: yes or no", read, default=False)


def identifier(name: str, prefix: str, what: str) -> Parameter:
    """The id of a resource."""

    def read(text: str) -> str:
        if not text.startswith(prefix) or len(text) == len(prefix):
            raise ValueError(text)
        return text

    return Parameter(name, f"{what}, which begins with {prefix}", read, required=True)


def label_selector(name: str) -> Parameter:
    """A label selector as ``kubectl`` takes it."""

    def read(text: str) -> str:
        labels.parse(text)
        return text

    return Parameter(name, f"a label selector, such as app=web,tier!=db ({labels.FORMS})", read, required=True)


def pattern(name: str, what: str, example: str, *, prefix: str = "", known: tuple[str, ...] = ()) -> Parameter:
    """A selector: a text in which ``*`` and ``?`` stand for anything; of ``known`` it has to match one."""

    def read(text: str) -> str:
        wild = text[:1] in ("*", "?")
        if not text or not (wild or text.startswith(prefix)):
            raise ValueError(text)
        if known and not any(fnmatchcase(one, text) for one in known):
            raise ValueError(text)
        return text

    allowed = f"{what}, such as {example}; * and ? stand for anything"
    return Parameter(name, f"one of {', '.join(known)}; * and ? stand for anything" if known else allowed, read)
