"""Declare options once: type, default, help text, bounds, and syntax on the command line.

A group of options is a dataclass whose fields are made by `declare`. Everything else is read from
these fields: checks and their messages (`Options.check`), estimators, the command line, the
parameter sections of docstrings (`parameter_section`), provenance (`Options.as_json`) and the
identity of checkpoints. Types are ordinary annotations, so that a type checker and `check` accept
the same values.

Functions whose parameters are not declared check them by their annotations (`checked`).

Groups that estimators inherit are mutable, because scikit-learn sets parameters one by one; groups
that are passed as values derive from `Sealed` and cannot be changed.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from markhood.content import as_json, from_json
from markhood.errors import InputError, option

_Documented = TypeVar("_Documented")
_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")

# Limit of whole numbers without a declared one: no count of samples, sweeps or replicates that can
# be computed is larger.
MOST = 1_000_000_000
MOST_SEED = 2**128 - 1  # the entropy of numpy.random.SeedSequence


@dataclass(frozen=True)
class Declaration:
    """Declaration of an option, except for its type and default.

    Attributes
    ----------
    help : str
        One or two sentences for help texts and docstrings.
    low, high, above, below : float, optional
        Inclusive and exclusive bounds of a number.
    convert : callable, optional
        Converts a value to its canonical form: plain values that can be written as JSON.
    content : callable, optional
        Returns the content of a path or table as plain values, for the provenance.
    parse : callable, optional
        Converts the text on a command line to a value; by default the type determines this.
    metavar : str, optional
        Placeholder of the value in the help of the command line.
    """

    help: str
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    convert: Callable[[Any], Any] | None = None
    content: Callable[[Any], Any] | None = None
    parse: Callable[[str], Any] | None = None
    metavar: str | None = None

    def admits(self, number: float) -> bool:
        """Return whether a number is within the bounds."""
        return (
            (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def range(self) -> str:
        """Describe the bounds, for a message."""
        if self.above is not None and self.below is not None:
            return f" between {self.above:g} and {self.below:g}, both excluded"
        if self.above is not None:
            return f" above {self.above:g}" + (
                "" if self.high is None else f", up to {self.high:g}"
            )
        if self.low is not None and self.below is not None:
            return f" from {self.low:g} to below {self.below:g}"
        if self.low is not None and self.high is not None:
            return f" from {self.low:g} to {self.high:g}"
        return "" if self.low is None else f" from {self.low:g} up"


def declare(default: Any, help: str, **details: Any) -> Any:
    """Declare an option: a dataclass field with a help text; see `Declaration` for details."""
    return field(default=default, metadata={"declaration": Declaration(help, **details)})


def declaration_of(one: Field[Any]) -> Declaration:
    """Return the declaration of a field."""
    declared: Declaration = one.metadata["declaration"]
    return declared


class Options:
    """A group of options: a dataclass whose fields are made by `declare`."""

    _looked_up: ClassVar[tuple[list[Field[Any]], list[str], dict[str, Any]]]

    @classmethod
    def _declarations(cls) -> tuple[list[Field[Any]], list[str], dict[str, Any]]:
        """Return the fields, names and types of the options; cached, as requests are made often."""
        if "_looked_up" not in cls.__dict__:
            declared = [one for one in fields(cls) if "declaration" in one.metadata]  # type: ignore[arg-type]
            cls._looked_up = declared, [one.name for one in declared], get_type_hints(cls)
        return cls._looked_up

    @classmethod
    def declared(cls) -> list[Field[Any]]:
        """List the fields that are options."""
        return cls._declarations()[0]

    @classmethod
    def names(cls) -> list[str]:
        """List the names of the options."""
        return cls._declarations()[1]

    @classmethod
    def hints(cls) -> dict[str, Any]:
        """Return the types of the options."""
        return cls._declarations()[2]

    def check(self) -> None:
        """Convert every option to its canonical form; raise `InputError` for an invalid value."""
        hints = self.hints()
        for one in self.declared():
            value, declared = getattr(self, one.name), declaration_of(one)
            if value is one.default:  # which is valid and in canonical form
                continue
            if declared.convert is not None:
                value = declared.convert(value)
                object.__setattr__(self, one.name, value)
            _check_value(one.name, value, hints[one.name], declared)

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        return {
            one.name: getattr(self, one.name)
            for one in self.declared()
            if not _same(getattr(self, one.name), one.default)
        }

    def as_json(self) -> dict[str, Any]:
        """Return the options that differ from their defaults as JSON values."""
        contents = {one.name: declaration_of(one).content for one in self.declared()}
        return {
            name: as_json(value if (content := contents[name]) is None else content(value))
            for name, value in self.changed().items()
        }


class Sealed(Options):
    """An immutable group of options, which is checked when it is made."""

    def __post_init__(self) -> None:
        """Check the options."""
        self.check()
        object.__setattr__(self, "_is_sealed", True)

    def __setattr__(self, name: str, value: Any) -> None:
        """Prevent changes; `dataclasses.replace` makes a changed copy."""
        if getattr(self, "_is_sealed", False) and name in self.names():
            raise AttributeError(f"{type(self).__name__} is immutable: use dataclasses.replace.")
        object.__setattr__(self, name, value)


def options_from_json(kind: type[Options], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the stored options that a group declares.

    Raises
    ------
    InputError
        If only the hash of an option was stored, because it is large or a user-defined object.
    """
    return {name: from_json(stored[name], name) for name in kind.names() if name in stored}


def parts_of(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union type, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def choices_of(hint: Any) -> list[Any]:
    """List the words of a type's literals."""
    return [word for one in parts_of(hint) if get_origin(one) is Literal for word in get_args(one)]


def parameter_section(kinds: Iterable[type[Options]], indent: str = "    ") -> str:
    """Return the parameter section of a numpydoc docstring for some groups of options.

    Examples
    --------
    >>> @dataclass(kw_only=True)
    ... class Fit(Options):
    ...     gamma: float = declare(0.5, "Weight of the penalty.", low=0)
    >>> print(parameter_section([Fit], ""))
    gamma : float, default=0.5
        Weight of the penalty.
    """
    lines, seen = [], set()
    for kind in kinds:
        for one in kind.declared():
            if one.name in seen:
                continue
            seen.add(one.name)
            shown = _type_text(kind.hints()[one.name])
            default = "optional" if one.default is None else f"default={one.default!r}"
            lines += [f"{one.name} : {shown}, {default}", f"    {declaration_of(one).help}"]
    return f"\n{indent}".join(lines)


def documented(*kinds: type[Options]) -> Callable[[_Documented], _Documented]:
    """Replace ``{parameters}`` in a docstring by the parameter section of some groups.

    The signature of a function shows the keywords of ``**options: Unpack[...]`` as its own.
    """

    def decorate(thing: _Documented) -> _Documented:
        _show_keywords(thing, kinds)
        if thing.__doc__ is not None:  # None with python -OO
            section = parameter_section(kinds)
            thing.__doc__ = thing.__doc__.replace("{parameters}", section)
        return thing

    return decorate


def _show_keywords(function: Any, kinds: Iterable[type[Options]]) -> None:
    """Replace ``**options`` in a signature by the keys of its typed dictionary, if it has one."""
    if not inspect.isfunction(function) or "Unpack" not in str(function.__annotations__):
        return
    whole = inspect.signature(function)
    *own, last = whole.parameters.values()
    keys = function.__globals__[last.annotation[len("Unpack[") : -1]].__annotations__
    defaults = {one.name: one.default for kind in kinds for one in kind.declared()}
    keywords = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(key))
        for key in keys
    ]
    function.__signature__ = whole.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]


def check_value(name: str, value: Any, hint: Any, **bounds: Any) -> None:
    """Raise `InputError` unless a value has a type and is within bounds.

    Examples
    --------
    >>> check_value("folds", 2.5, int, low=2)
    Traceback (most recent call last):
    markhood.errors.InputError: folds must be a whole number from 2 up, not 2.5.
    """
    _check_value(name, value, hint, Declaration("", **bounds))


def checked(function: Callable[_Given, _Returned]) -> Callable[_Given, _Returned]:
    """Check the arguments of a function that have plain types: numbers, text, paths, our classes.

    Examples
    --------
    >>> @checked
    ... def draw(n_samples: int) -> None: ...
    >>> draw("ten")
    Traceback (most recent call last):
    markhood.errors.InputError: n_samples must be a whole number, not 'ten'.
    """
    signature = inspect.signature(function)
    hints: dict[str, Any] = {}

    @wraps(function)
    def with_checks(*args: _Given.args, **given: _Given.kwargs) -> _Returned:
        if not hints:  # at the first call, because annotations may name later definitions
            hints.update(_plain_hints(function))
        with suppress(TypeError):  # missing or unknown arguments, as in any function
            for name, value in signature.bind(*args, **given).arguments.items():
                if name in hints:
                    bounds = {"low": 0, "high": MOST_SEED} if name == "seed" else {}
                    check_value(name, value, hints[name], **bounds)
        return function(*args, **given)

    return with_checks


def _plain_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of the parameters that have plain ones."""
    found = {}
    for name, text in inspect.get_annotations(function).items():
        with suppress(NameError):  # a name that only type checkers import
            alone = type("Alone", (), {"__annotations__": {name: text}})
            hint = get_type_hints(alone, function.__globals__)[name]
            if name != "return" and all(map(_is_plain, parts_of(hint))):
                found[name] = hint
    return found


def _is_plain(hint: Any) -> bool:
    kind = get_origin(hint) or hint
    if kind in (bool, int, float, str, os.PathLike, NoneType, Literal):
        return True
    is_class = isinstance(kind, type) and not getattr(kind, "_is_protocol", False)
    return is_class and kind.__module__.startswith(("markhood.", "numpy.random"))


def _type_text(hint: Any) -> str:
    words = []
    for one in parts_of(hint):
        if get_origin(one) is Literal:
            words.append("{" + ", ".join(f'"{word}"' for word in get_args(one)) + "}")
        elif one is Any:
            words.append("object")
        elif one is not NoneType:
            words.append(
                getattr(one, "__name__", str(one)).lower() if get_origin(one) else one.__name__
            )
    return " or ".join(words)


def _check_value(name: str, value: Any, hint: Any, declared: Declaration) -> None:
    parts = parts_of(hint)
    if any(_fits(value, one, declared) for one in parts):
        return
    choices = choices_of(hint)
    numbers = [one for one in parts if one in (int, float)]
    is_whole = int in numbers and isinstance(value, Integral)
    limit = MOST if declared.high is None else declared.high
    if is_whole and abs(value) > max(limit, MOST):
        raise InputError(
            "option-value", name, f"{option(name)} is too large: the limit is {limit:,}."
        )
    if bool in parts:
        choices = [True, False]
    if choices and not numbers:
        listed = ", ".join(map(str, choices))
        raise InputError(
            "option-value", name, f"Unknown {option(name)} {value!r}: choose one of {listed}."
        )
    what = "text or a path" if any(get_origin(one) is os.PathLike for one in parts) else "text"
    if numbers:
        what = ("a whole number" if int in numbers else "a finite number") + declared.range()
    elif str not in parts:
        what = _type_text(hint)
    others = f", or {' or '.join(map(str, choices))}" if choices else ""
    raise InputError("option-value", name, f"{option(name)} must be {what}{others}, not {value!r}.")


def _fits(value: Any, hint: Any, declared: Declaration) -> bool:
    """Return whether a value has a type and is within the bounds."""
    if hint is Any:
        return True
    if hint in (None, NoneType):
        return value is None
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint is bool:
        return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    if hint in (int, float):
        kind = Integral if hint is int else Real
        if not isinstance(value, kind) or isinstance(value, bool):
            return False
        # NumPy's short floats cannot be compared with the largest float.
        number: Any = value.item() if hasattr(value, "item") else value
        most = MOST if hint is int and declared.high is None else sys.float_info.max
        return bool(-most <= number <= most) and declared.admits(number)
    return isinstance(value, get_origin(hint) or hint)


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and as_json(value) == as_json(default)
