"""docs/verification.md lists what the suite verifies."""

from __future__ import annotations

from pathlib import Path

from tests.verification.models import COMPARISONS, ENGINES, MODELS, effort

PAGE = Path(__file__).resolve().parents[2] / "docs/verification.md"


def test_every_model_has_a_row_with_its_theory() -> None:
    """The simulated numbers are those of one run; whatever does not come from chance must be as the suite has it."""
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in _lines()]
    for model in MODELS:
        for engine in ENGINES:
            spent, theory = effort(model, engine), model.theory[model.decisive]
            inside = f"{len(model.theory)} of {len(model.theory)}"
            known = (model.name, model.source, engine, f"{spent.replications} x {spent.lines:,}", model.decisive, f"{theory:.4g}")
            assert [row for row in rows if row[:6] == known and row[-1] == inside], known


def test_the_number_of_comparisons_is_stated() -> None:
    assert f"{COMPARISONS} comparisons" in PAGE.read_text(encoding="utf-8")


def _lines() -> list[str]:
    return [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
