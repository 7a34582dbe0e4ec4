# Copyright: Contributors to the eksops.karpenter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The part of the Common Expression Language that Karpenter's CRDs use. Pure. Private to the collection.

The rules in a CRD (``x-kubernetes-validations``) are evaluated by the API server; this evaluates the same text before
anything is sent, so that a mistake is told in check mode too, and before the first write.
https://kubernetes.io/docs/reference/using-api/cel/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Scope = Mapping[str, Any]
Expression = Callable[[Scope], Any]

_TOKEN = re.compile(
    r"\s*(?:(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\|\||&&|==|!=|<=|>=|[<>!?:.,()\[\]-]))"
)
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<=": lambda left, right: left <= right,
    ">=": lambda left, right: left >= right,
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "in": lambda left, right: left in right,
}
_METHODS: dict[str, Callable[..., Any]] = {
    "size": len,
    "matches": lambda text, pattern: re.search(pattern, text) is not None,
    "find": lambda text, pattern: match.group(0) if (match := re.search(pattern, text)) else "",
    "startsWith": lambda text, start: text.startswith(start),
    "endsWith": lambda text, end: text.endswith(end),
    "split": lambda text, separator: text.split(separator),
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"size": len, "int": int, "string": str}
_CONSTANTS = {"true": True, "false": False, "null": None}


class CelError(Exception):
    """The rule cannot be read, or has no value for this input (the server counts that as broken)."""


def compile_rule(text: str) -> Expression:
    """The rule as a function of its scope (``self``, ``oldSelf``). Raises CelError for what is not understood here."""
    return _Parser(text).parse()


def holds(text: str, value: Any) -> bool:
    """Whether the rule holds for ``self``; a rule without a value does not."""
    try:
        return compile_rule(text)({"self": value}) is True
    except CelError:
        return False


class _Parser:
    """Recursive descent, lowest precedence first; the result is a tree of closures."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._scan(text))
        self._next = 0

    @staticmethod
    def _scan(text: str) -> list[tuple[str, str]]:
        tokens, position = [], 0
        stripped = text.rstrip()
        while position < len(stripped):
            match = _TOKEN.match(stripped, position)
            if match is None:
                raise CelError(f"cannot read {stripped[position:]!r}")
            tokens.append((str(match.lastgroup), match.group(str(match.lastgroup))))
            position = match.end()
        return tokens

    def parse(self) -> Expression:
        expression = self._ternary()
        if self._next != len(self._tokens):
            raise CelError(f"cannot read {self._tokens[self._next][1]!r} in {self._text!r}")
        return expression

    def _peek(self) -> str:
        return self._tokens[self._next][1] if self._next < len(self._tokens) else ""

    def _take(self, sign: str | None = None) -> str:
        token = self._peek()
        if not token or (sign is not None and token != sign):
            raise CelError(f"expected {sign or 'more'} but found {token!r} in {self._text!r}")
        self._next += 1
        return token

    def _accept(self, sign: str) -> bool:
        if self._peek() == sign:
            self._next += 1
            return True
        return False

    def _ternary(self) -> Expression:
        condition = self._either()
        if not self._accept("?"):
            return condition
        yes = self._ternary()
        self._take(":")
        no = self._ternary()
        return lambda scope: yes(scope) if condition(scope) else no(scope)

    def _either(self) -> Expression:
        terms = [self._both()]
        while self._accept("||"):
            terms.append(self._both())
        return terms[0] if len(terms) == 1 else lambda scope: _decide(terms, scope, True)

    def _both(self) -> Expression:
        terms = [self._relation()]
        while self._accept("&&"):
            terms.append(self._relation())
        return terms[0] if len(terms) == 1 else lambda scope: _decide(terms, scope, False)

    def _relation(self) -> Expression:
        left = self._unary()
        if self._peek() not in _COMPARISONS:
            return left
        compare, right = _COMPARISONS[self._take()], self._unary()
        return lambda scope: _try(lambda: compare(left(scope), right(scope)))

    def _unary(self) -> Expression:
        if self._accept("!"):
            inner = self._unary()
            return lambda scope: not inner(scope)
        return self._member()

    def _member(self) -> Expression:
        value = self._primary()
        while True:
            if self._accept("."):
                value = self._selection(value, self._take())
            elif self._accept("["):
                value = _indexed(value, self._ternary())
                self._take("]")
            else:
                return value

    def _selection(self, value: Expression, name: str) -> Expression:
        if not self._accept("("):
            return lambda scope: _field(value(scope), name)
        if name in ("all", "exists", "filter"):
            return self._macro(value, name)
        arguments = self._arguments()
        method = _METHODS.get(name)
        if method is None:
            raise CelError(f"no method {name}")
        return lambda scope: _try(lambda: method(value(scope), *(argument(scope) for argument in arguments)))

    def _macro(self, value: Expression, name: str) -> Expression:
        variable = self._take()
        self._take(",")
        body = self._ternary()
        self._take(")")

        def run(scope: Scope) -> Any:
            terms: list[tuple[Any, Expression]] = [(item, _bound(body, variable, item)) for item in value(scope)]
            if name == "filter":
                return [item for item, term in terms if term(scope)]
            return _decide([term for _item, term in terms], scope, name == "exists")

        return run

    def _primary(self) -> Expression:
        kind, token = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
        self._next += 1
        if kind == "string":
            literal: Any = re.sub(r"\\(.)", r"\1", token[1:-1])
            return lambda _: literal
        if kind == "number":
            return lambda _: int(token)
        if kind == "name":
            return self._name(token)
        if token == "(":
            inner = self._ternary()
            self._take(")")
            return inner
        if token == "[":
            items = self._arguments("]")
            return lambda scope: [item(scope) for item in items]
        raise CelError(f"unexpected {token!r} in {self._text!r}")

    def _name(self, name: str) -> Expression:
        if name in _CONSTANTS:
            return lambda _: _CONSTANTS[name]
        if not self._accept("("):
            return lambda scope: _field(scope, name)
        arguments = self._arguments()
        if name == "has":
            return lambda scope: _present(arguments[0], scope)
        function = _FUNCTIONS.get(name)
        if function is None:
            raise CelError(f"no function {name}")
        return lambda scope: _try(lambda: function(arguments[0](scope)))

    def _arguments(self, end: str = ")") -> list[Expression]:
        arguments: list[Expression] = []
        while not self._accept(end):
            arguments.append(self._ternary())
            if not self._accept(","):
                self._take(end)
                break
        return arguments


def _decide(terms: list[Expression], scope: Scope, deciding: bool) -> bool:
    """``||`` (deciding True) and ``&&`` (False): one deciding term outweighs errors of the others."""
    failure: CelError | None = None
    for term in terms:
        try:
            if bool(term(scope)) is deciding:
                return deciding
        except CelError as error:
            failure = error
    if failure is not None:
        raise failure
    return not deciding


def _bound(body: Expression, variable: str, item: Any) -> Expression:
    return lambda scope: body({**scope, variable: item})


def _field(value: Any, name: str) -> Any:
    if not isinstance(value, Mapping) or name not in value:
        raise CelError(f"no such key: {name}")
    return value[name]


def _present(expression: Expression, scope: Scope) -> bool:
    try:
        expression(scope)
    except CelError:
        return False
    return True


def _indexed(value: Expression, index: Expression) -> Expression:
    return lambda scope: _try(lambda: value(scope)[index(scope)])


def _try(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CelError(str(error)) from error
