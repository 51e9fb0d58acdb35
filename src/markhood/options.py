"""Options, each declared once: type, default, help text, bounds, and how it is written in a shell.

A group of options is a dataclass whose fields are made by `declare`. Everything else is read from these
fields: the checks and their messages (`Options.check`), estimators, the command line, the parameter sections of
docstrings (`parameter_section`), provenance (`Options.as_json`) and the identity of checkpoints. Types are ordinary
annotations, so that a type checker and `check` agree on what is accepted.

Groups that estimators inherit must be mutable, because scikit-learn sets parameters one by one; groups that are
passed as values derive from `Sealed` and cannot be changed after they are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from markhood.content import as_json, from_json
from markhood.errors import InputError, option

_Documented = TypeVar("_Documented")


@dataclass(frozen=True)
class Declaration:
    """What is known of an option apart from its type and default.

    Attributes
    ----------
    help : str
        One or two sentences for help texts and docstrings.
    low, high, above, below : float, optional
        Bounds of a number: inclusive, and exclusive.
    convert : callable, optional
        Brings a value into its canonical form: plain values that can be written as JSON.
    content : callable, optional
        Returns what a value says as plain values, where it may be a path or a table: for provenance.
    parse : callable, optional
        Turns the text of a command line into a value; by default the type decides.
    metavar : str, optional
        What a command line shows in place of the value.
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
    """Declare an option: a dataclass field with its help text; see `Declaration` for the details."""
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
        """Return the fields, names and types of the options, looked up once: requests are made often."""
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
        """Bring every option into its canonical form and raise `InputError` for a wrong one."""
        hints = self.hints()
        for one in self.declared():
            value, declared = getattr(self, one.name), declaration_of(one)
            if value is one.default:  # which is right, and in its canonical form
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
    """A group of options that is a value: checked when it is made, and not changed afterwards."""

    def __post_init__(self) -> None:
        """Check the options."""
        self.check()
        object.__setattr__(self, "_is_sealed", True)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse changes; `dataclasses.replace` makes a changed copy."""
        if getattr(self, "_is_sealed", False) and name in self.names():
            raise AttributeError(f"{type(self).__name__} cannot be changed: make another one.")
        object.__setattr__(self, name, value)


def options_from_json(kind: type[Options], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the stored options that a group declares, as values.

    Raises
    ------
    InputError
        Where an option was stored by its hash only, because it was too large or an object of the caller's own.
    """
    return {name: from_json(stored[name], name) for name in kind.names() if name in stored}


def parts_of(hint: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def choices_of(hint: Any) -> list[Any]:
    """List the words that a type allows."""
    return [word for one in parts_of(hint) if get_origin(one) is Literal for word in get_args(one)]


def parameter_section(kinds: Iterable[type[Options]], indent: str = "    ") -> str:
    """Write the options of some groups as the parameter section of a numpydoc docstring.

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
    """Replace ``{parameters}`` in a docstring by the options of some groups."""

    def decorate(thing: _Documented) -> _Documented:
        if thing.__doc__ is not None:  # python -OO has none
            section = parameter_section(kinds)
            thing.__doc__ = thing.__doc__.replace("{parameters}", section)
        return thing

    return decorate


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
    if bool in parts:
        choices = [True, False]
    if choices and not numbers:
        listed = ", ".join(map(str, choices))
        raise InputError(f"Unknown {option(name)} {value!r}: choose one of {listed}.")
    what = "text"
    if numbers:
        what = ("a whole number" if int in numbers else "a finite number") + declared.range()
    elif str not in parts:
        what = _type_text(hint)
    others = f", or {' or '.join(map(str, choices))}" if choices else ""
    raise InputError(f"{option(name)} must be {what}{others}, not {value!r}.")


def _fits(value: Any, hint: Any, declared: Declaration) -> bool:
    """Return whether a value is of a type, and within the bounds."""
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
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        is_finite = is_number and (isinstance(value, Integral) or math.isfinite(value))
        return is_finite and declared.admits(value)
    return isinstance(value, get_origin(hint) or hint)


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and as_json(value) == as_json(default)
