"""What a value must be, in words: for errors, for help and for the reference."""

from __future__ import annotations

import msgspec


def describe(info: msgspec.inspect.Type) -> str:
    """Return what a value must be, in words: ``a whole number from 1 to 1,000``."""
    kinds = msgspec.inspect
    match info:
        case kinds.Metadata():
            return describe(info.type)
        case kinds.IntType() | kinds.FloatType():
            noun = "a whole number" if isinstance(info, kinds.IntType) else "a number"
            limits = describe_bounds(info)
            return f"{noun} {'of ' if limits.startswith('at') else ''}{limits}".rstrip()
        case kinds.StrType():
            if info.pattern:
                return f"text that matches {info.pattern}"
            limit = f" of at most {info.max_length:,} characters" if info.max_length else ""
            return f"text{limit}"
        case kinds.BoolType():
            return "true or false"
        case kinds.LiteralType():
            return " or ".join(map(str, info.values))
        case kinds.UnionType():
            arms = [one for one in info.types if not isinstance(one, kinds.NoneType)]
            lists = [one for one in arms if isinstance(one, kinds.ListType)]
            return " or ".join(map(describe, lists or arms))
        case kinds.ListType() | kinds.VarTupleType():
            one = describe(info.item_type)
            return f"{one}, or a list of {'texts' if one.startswith('text') else 'such values'}"
    return "a value of another type"


def describe_bounds(info: msgspec.inspect.Type) -> str:
    """Return the limits of a number, or of the numbers of a list: ``from 1 to 1,000``."""
    kinds = msgspec.inspect
    match info:
        case kinds.Metadata():
            return describe_bounds(info.type)
        case kinds.ListType() | kinds.VarTupleType():
            return describe_bounds(info.item_type)
        case kinds.UnionType():
            return next(filter(None, map(describe_bounds, info.types)), "")
        case kinds.IntType() | kinds.FloatType() if info.ge is not None and info.le is not None:
            return f"from {info.ge:,} to {info.le:,}"
        case kinds.IntType() | kinds.FloatType():
            limits = {"at least": info.ge, "above": info.gt, "at most": info.le, "below": info.lt}
            parts = [f"{words} {one:,}" for words, one in limits.items() if one is not None]
            return " and ".join(parts)
    return ""


def add_bounds(help: str, info: msgspec.inspect.Type) -> str:
    """Return the help of an option with the limits of its value."""
    limits = describe_bounds(info)
    return f"{help} {limits[:1].upper()}{limits[1:]}{'.' if limits else ''}".rstrip()
