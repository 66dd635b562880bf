"""Pages of the Python interface: directives that mkdocstrings fills from the docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

import simulator
from docs.generate.markdown import escaped, table

PACKAGE = Path(simulator.__file__).parent
# Behind the command line and the engines nothing is meant to be called from outside.
INNER = ("cli", "engine.compiled", "engine.simpy_engine")


def api_pages() -> dict[str, str]:
    """Return a page for the names that `import simulator` offers, and one for each room of the package, by their path."""
    rooms = {name: found for name, found in _rooms().items() if found}
    return {
        "api/index.md": _index(rooms),
        **{f"api/{name}.md": _room(name, found) for name, found in rooms.items()},
    }


def public_modules() -> list[str]:
    """Return the full names of all modules that are documented, sorted."""
    names = (".".join(file.relative_to(PACKAGE).with_suffix("").parts) for file in PACKAGE.rglob("*.py"))
    kept = (name for name in names if not any(name == inner or name.startswith(f"{inner}.") for inner in INNER))
    return sorted(f"simulator.{name}" for name in kept if not name.rpartition(".")[2].startswith("_"))


def _rooms() -> dict[str, list[str]]:
    """Return the modules by the room they stand in; those in no room are the base."""
    rooms: dict[str, list[str]] = {}
    for name in public_modules():
        parts = name.split(".")
        rooms.setdefault(parts[1] if len(parts) > 2 else "base", []).append(name)
    return rooms


def _index(rooms: dict[str, list[str]]) -> str:
    rows = ([f"[`simulator.{name}`]({name}.md)", _what(name)] for name in rooms if name != "base")
    public = {name: getattr(simulator, name) for name in sorted(simulator.__all__, key=str.lower)}
    names = ([f"[`{name}`][{thing.__module__}.{name}]", _first_line(thing.__doc__)] for name, thing in public.items())
    return "\n".join(
        [
            "# Python\n",
            "`import simulator` costs nothing; each of these names is loaded when first used.\n",
            table(("name", ""), names, left=2),
            "These are the public names. All modules, by package, "
            "with [`errors`, `units`, `tables`](base.md) and the like below them:\n",
            table(("package", "holds"), rows, left=2),
        ]
    )


def _room(name: str, modules: list[str]) -> str:
    title = "simulator: errors, units, files" if name == "base" else f"simulator.{name}"
    return "\n".join([f"# {title}\n", f"{_what(name)}\n", *(f"::: {module}\n" for module in modules)])


def _what(name: str) -> str:
    """Return what a room says of itself."""
    if name == "base":
        return "What every room uses."
    return _first_line(ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text(encoding="utf-8"))))


def _first_line(docstring: str | None) -> str:
    return escaped(" ".join((docstring or "").strip().partition("\n\n")[0].split()))
