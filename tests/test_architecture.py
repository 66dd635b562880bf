"""Which room may look into which: imports point one way, and each heavy library has one home."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "simulator"
# A room may import those before it, never those after it.
LAYERS = (
    "base",
    "machine",
    "placement",
    "interop",
    "host",
    "protocol",
    "workload",
    "program",
    "traces",
    "cache",
    "engine",
    "measure",
    "replay",
    "schedule",
    "observe",
    "theory",
    "sweep",
    "explain",
    "validation",
    "advise",
    "calibration",
    "plots",
    "web",
    "report",
    "serve",
    "notebook",
    "cli",
)
BASE_MODULES = {"errors", "units", "files", "outside", "optional", "compile", "problems", "tables"}
HOMES = {
    "simpy": ("engine/simpy_engine",),
    "numba": ("compile", "engine/compiled/", "host/kernels"),
    "sqlite3": ("sweep/",),
    "multiprocessing": ("sweep/processes",),
    "networkx": ("machine/",),
    "matplotlib": ("plots/",),
    "PIL": ("plots/",),
    "IPython": ("notebook/",),
    "ipywidgets": ("notebook/",),
    "jinja2": ("web/",),
    "starlette": ("serve/",),
    "uvicorn": ("serve/",),
    "rich": ("cli/",),
    "argparse": ("cli/",),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def _imports(file: Path) -> Iterator[str]:
    """Yield the absolute names of all modules a file imports, also inside functions."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def _layer(module: str) -> str | None:
    parts = module.split(".")
    if parts[0] != "simulator" or len(parts) == 1:
        return None
    if parts[1] in BASE_MODULES:
        return "base"
    return parts[1] if parts[1] in LAYERS else None


def _name(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def test_imports_point_one_way() -> None:
    wrong = []
    for file in FILES:
        own = _layer("simulator." + ".".join(file.relative_to(PACKAGE).with_suffix("").parts))
        if own is None:
            assert _name(file) == "__init__.py", f"{_name(file)} belongs to no layer"
            continue
        others = {module: _layer(module) for module in _imports(file)}
        wrong += [
            f"{_name(file)}: {module}" for module, other in others.items() if other and LAYERS.index(other) > LAYERS.index(own)
        ]
    assert wrong == []


def test_heavy_libraries_stay_at_home() -> None:
    wrong = []
    for file in FILES:
        homes = {module: HOMES.get(module.split(".")[0]) for module in _imports(file)}
        wrong += [f"{_name(file)}: {module}" for module, home in homes.items() if home and not _name(file).startswith(home)]
    assert wrong == []


def test_only_the_command_line_prints() -> None:
    inner = [file for file in FILES if not _name(file).startswith("cli/")]
    calls = [(file, node.func, node.lineno) for file in inner for node in ast.walk(_tree(file)) if isinstance(node, ast.Call)]
    assert [f"{_name(file)}:{line}" for file, what, line in calls if isinstance(what, ast.Name) and what.id == "print"] == []


def test_every_module_says_what_it_is() -> None:
    assert [_name(file) for file in FILES if file.stat().st_size and not ast.get_docstring(_tree(file))] == []


def test_nothing_imports_data_or_scripts() -> None:
    for file in [*FILES, *(ROOT / "experiments").glob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        for module in _imports(file):
            assert module.split(".")[0] not in ("topologies", "references", "experiments", "notebooks"), f"{file}: {module}"


def test_experiments_are_thin() -> None:
    scripts = sorted((ROOT / "experiments").glob("*.py"))
    assert scripts
    installed = {path.name for path in PACKAGE.parent.iterdir() if path.is_dir()} | set(sys.stdlib_module_names)
    for script in scripts:
        tree = _tree(script)
        assert ast.get_docstring(tree)
        assert script.stem not in installed | {"simulator", "numasim"}, f"{script.name} hides a package"
        assert not any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
        numbers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) in (int, float)]
        assert not numbers, f"{script.name}: constants {numbers}"
        assert all(module.split(".")[0] in ("simulator", "__future__", "collections", "pathlib") for module in _imports(script))
