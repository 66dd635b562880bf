from __future__ import annotations

from pathlib import Path

import pytest

from simulator.machine.fitted import fitted_values
from simulator.machine.load import load_machine, machine_from_dict
from tests.machine.builders import SQUARE, table


def test_every_fitted_value_of_the_quartet_is_once_in_the_list_and_in_its_range():
    found = fitted_values(load_machine("quartet"))
    paths = [fit.path for fit in found]
    assert len(set(paths)) == len(paths) <= 18
    assert {"core.window", "crossbar.arbitration", "link.latency_ns", "controller.queue"} <= set(paths)
    for fit in found:
        low, high = fit.allowed[0], fit.allowed[-1]
        assert fit.value in fit.allowed if isinstance(fit.value, str) else low <= fit.value <= high


def test_a_value_of_one_link_stands_under_its_own_path():
    wanted = table([0, 1, 2], [(0, 1), (1, 2)])
    wanted["links"][1]["latency_ns"] = 9.5
    found = {fit.path: fit.value for fit in fitted_values(machine_from_dict(wanted))}
    assert "link.latency_ns" not in found
    assert (found["link[0-1].latency_ns"], found["link[1-2].latency_ns"]) == (7.55, 9.5)


def test_paths_of_fitted_values_can_be_set():
    for fit in fitted_values(load_machine("quartet")):
        value = fit.allowed[-1] if isinstance(fit.value, str) else type(fit.value)(fit.allowed[0])
        changed = load_machine("quartet", {fit.path: value})
        assert value in [other.value for other in fitted_values(changed) if other.path == fit.path]


def test_a_child_may_give_another_range_or_none(tmp_path: Path):
    (tmp_path / "a.toml").write_text(f'extends = "{SQUARE}"\n[core]\nwindow = 3\n[core.fitted]\nwindow = [2, 8]\n')
    (tmp_path / "b.toml").write_text(f'extends = "{SQUARE}"\n[core]\nwindow = 3\nsource = "m"\n[core.fitted]\nwindow = []\n')
    assert load_machine(tmp_path / "a.toml").core.fitted["window"] == (2.0, 8.0)
    assert "window" not in load_machine(tmp_path / "b.toml").core.fitted


def test_a_value_in_a_nested_table_can_be_fitted(tmp_path: Path):
    (tmp_path / "a.toml").write_text(f'extends = "{SQUARE}"\n[link.fitted]\n"credits.request" = [2, 4]\n')
    found = {fit.path: (fit.value, fit.allowed_text) for fit in fitted_values(load_machine(tmp_path / "a.toml"))}
    assert found["link.credits.request"] == (3, "2 to 4")


@pytest.mark.parametrize("override", ["core.window=2", "link.latency_ns=40"])
def test_an_override_may_leave_the_range(override: str):
    load_machine(SQUARE, [override])
