"""Slips in formulas, made by rule: in a function's syntax tree one node is taken for another."""

import ast
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

BESIDE = {"CACHED", "CHUNK", "EPSILON", "FEW", "ROWS"}  # constants about speed or rounding, and not about the result
KEPT = {"annotation", "returns", "decorator_list", "items"}  # parts of a tree that compute nothing
SWAPPED = "Add Sub, Mult Div, LShift RShift, BitAnd BitOr, Lt LtE, Gt GtE, Eq NotEq, And Or, sin cos, min max"
SWAPPED += ", minimum maximum, floor ceil, any all, zeros ones, real imag"
OTHER = dict(pair.split() for pair in SWAPPED.split(", "))
OTHER |= {other: one for one, other in OTHER.items()} | {"FloorDiv": "Mult", "GtE": "Gt"}
LEFT_OUT = {"abs", "sqrt", "conj", "argsort", "log", "rint"}  # f(x) becomes x


class Slip(NamedTuple):
    """What becomes of which code in a function of a file; where says the place in the tree, new what stands there."""

    file: str
    function: str
    what: str
    tree: ast.Module
    where: tuple[ast.AST, str, int | None]
    new: ast.AST

    def __str__(self) -> str:
        return f"{self.file}.{self.function}: {self.what}"

    def code(self):
        """Make the slip, for good, and return the compiled file."""
        parent, name, index = self.where
        if index is None:
            setattr(parent, name, self.new)
        else:
            getattr(parent, name)[index] = self.new
        return compile(ast.fix_missing_locations(self.tree), f"{self.file}.py", "exec")


def all_slips(path: Path) -> list[Slip]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        Slip(path.stem, function, _told(node, new, where[0]), tree, where, new)
        for where, node, function in _nodes(tree, "")
        for new in _instead(node, where)
        if function and not (isinstance(new, ast.AST) and ast.dump(new) == ast.dump(node))
    ]


def spread(slips: list[Slip], most: int) -> list[Slip]:
    """Return at most so many, from each function as many as from the others if it has them; always the same."""
    by_function: dict[str, list[Slip]] = {}
    for slip in sorted(slips, key=lambda slip: zlib.crc32(slip.what.encode())):
        by_function.setdefault(slip.function, []).append(slip)
    return [slip for turn in zip_longest(*by_function.values()) for slip in turn if slip][:most]


def _nodes(parent: ast.AST, function: str, checked: frozenset = frozenset()) -> Iterator[tuple[tuple, ast.AST, str]]:
    """Yield all nodes that a slip may change: where each stands, and in which function."""
    if isinstance(parent, ast.FunctionDef):
        checked = _only_checked(parent)
    for name, value in ast.iter_fields(parent):
        if name in KEPT or (_is_check(parent) and name != "orelse"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield from _nodes(node, f"{function}.{node.name}".lstrip("."))
            elif isinstance(node, ast.AST) and not isinstance(parent, ast.ClassDef) and not _left_alone(node, checked):
                yield (parent, name, index), node, function
                yield from _nodes(node, function, checked)


def _names(node: ast.AST, context: type = ast.expr_context) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, context)}


def _is_check(node: ast.AST) -> bool:
    """Return whether this only refuses arguments: tests of bad input are about those."""
    return isinstance(node, ast.If) and (isinstance(node.body[-1], ast.Raise) or _is_check(node.body[-1]))


def _only_checked(function: ast.FunctionDef) -> frozenset[str]:
    """Return the names that nothing but checks read."""
    checks = [node for node in ast.walk(function) if _is_check(node) and not node.orelse]
    inside = {id(part) for check in checks for part in ast.walk(check)}
    outside = [part for part in ast.walk(function) if id(part) not in inside and isinstance(part, ast.Name)]
    read = {part.id for part in outside if isinstance(part.ctx, ast.Load)}
    return frozenset().union(*(_names(check, ast.Load) for check in checks)) - read


def _left_alone(node: ast.AST, checked: frozenset) -> bool:
    """Return whether nothing in here is part of a formula: words, checks, and what is about speed or rounding."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Call(func=func) | ast.Expr(value=ast.Call(func=func)) if ast.unparse(func).startswith("validate."):
            return True
        case ast.keyword(arg="copy" | "keepdims" | "initial" | "strict"):
            return True
        case ast.Assign(targets=[target]) if _names(target) and _names(target) <= checked:
            return True
        case ast.BinOp() | ast.Call() | ast.Compare() | ast.Subscript():
            return bool(_names(node) & BESIDE)
    return False


def _instead(node: ast.AST, where: tuple) -> Iterator[ast.AST | None]:
    """Yield what may stand in place of a node by mistake."""
    parent, field, _ = where
    match node:
        case ast.operator() | ast.cmpop() | ast.boolop() if other := OTHER.get(type(node).__name__):
            yield getattr(ast, other)()
        case ast.BinOp(op=ast.Pow()):
            yield ast.BinOp(node.left, node.op, ast.UnaryOp(ast.USub(), node.right))
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield node.operand
        case ast.Name(id=word) if field == "func" and word in OTHER:
            yield ast.Name(OTHER[word], node.ctx)
        case ast.Attribute(value=value, attr=word) if word in OTHER or word == "T":
            yield ast.Attribute(value, OTHER[word], node.ctx) if word in OTHER else value
        case ast.Call(func=ast.Attribute(value=value, attr=word), args=args) if word in LEFT_OUT:
            yield args[0] if args else value
        case ast.Call(func=ast.Attribute(attr="clip"), args=[x, low, high]):
            yield ast.Call(node.func, [x, ast.Constant(None), high], node.keywords)
            yield ast.Call(node.func, [x, low, ast.Constant(None)], node.keywords)
        case ast.Call(func=ast.Attribute(attr="where"), args=[condition, one, other]):
            yield ast.Call(node.func, [condition, other, one], node.keywords)
        case ast.List(elts=[*first, one, other]) if isinstance(parent, ast.Call) and not isinstance(one, ast.Starred):
            yield ast.List([*first, other, one], node.ctx)
        case ast.Tuple(elts=[one, other], ctx=ast.Load()) if isinstance(parent, (ast.Assign, ast.Return)):
            yield ast.Tuple([other, one], node.ctx)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)) if not isinstance(parent, ast.UnaryOp):
            yield ast.Constant(value + 1 if value < 4 else value - 1)
        case ast.Constant(value=float(value)) if value >= 1e-6:  # smaller ones say what rounding may do
            yield ast.Constant(1.5 * value)
        case ast.Constant(value=complex()):
            yield ast.UnaryOp(ast.USub(), node)
        case ast.Slice(step=ast.UnaryOp()):
            yield ast.Slice(node.lower, node.upper)
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.If(orelse=[_, *_]) if not _is_check(node):
            yield ast.If(node.test, node.orelse, node.body)
        case ast.If() if not _is_check(node) and not _names(node.test) & BESIDE:
            yield ast.Pass()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _told(node: ast.AST, new: ast.AST, parent: ast.AST) -> str:
    """Return what becomes of which code: of long code the first line, of short code what stands around it, too."""
    short = not isinstance(node, (ast.expr, ast.stmt))
    old, other = (type(x).__name__ if short else ast.unparse(x).splitlines()[0] for x in (node, new))
    around = f" in {ast.unparse(parent)}" if short or (len(old) < 9 and isinstance(parent, ast.expr)) else ""
    return f"{old} → {other}{around}"
