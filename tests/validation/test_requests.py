"""Each run once, however many rows look at it."""

from __future__ import annotations

import pytest

from simulator.errors import InputError
from simulator.validation.reference import Reference
from simulator.validation.requests import Requests, RunRequest, select_figures


def test_distinct_runs(reference: Reference) -> None:
    requests = Requests(reference)
    runs = requests.of_all()
    assert len(runs) == len(set(runs)) == 45
    assert runs[0] == RunRequest("quartet", ("0.0.r.0",))
    assert runs[-1] == RunRequest("quartet", (), (("0.1.r.0", 4.0),))


def test_rows_share_a_run(reference: Reference) -> None:
    requests = Requests(reference)
    crossfire = requests.case(reference.find_figure("6"), reference.find_figure("6").case("crossfire"))
    assert crossfire == requests.load(reference.load[4]) == requests.links_picture()
    assert crossfire in [requests.anchor(anchor) for anchor in reference.anchor]


def test_a_load_of_a_figure_has_its_background(reference: Reference) -> None:
    request = Requests(reference).load(reference.load[7])
    assert request.threads == ("0.0.w.1", "1.0.w.3")
    assert [label for label, _ in request.background] == ["0.1.r.0", "1.1.r.1", "2.0.r.2", "2.1.r.2", "3.0.r.3", "3.1.r.3"]
    assert {rate for _, rate in request.background} == {4.0}
    assert [thread.label for thread in request.workload().foreground] == ["0.0.w.1", "1.0.w.3"]


def test_order_of_threads_does_not_matter(reference: Reference) -> None:
    figure = reference.find_figure("9")
    case = figure.case("crossfire")
    turned = case.model_copy(update={"threads": case.threads[::-1]})
    assert Requests(reference).case(figure, case) == Requests(reference).case(figure, turned)


def test_choice_of_figures(reference: Reference) -> None:
    figures = select_figures(reference, ["12", "4"])
    assert [figure.id for figure in figures] == ["4", "12"]
    assert len(Requests(reference).of_figures(figures)) == 8
    assert select_figures(reference, []) == reference.figure
    with pytest.raises(InputError, match=r"--figure: amd-40555 has no such figure \(got '3'\); allowed: 4, 5, 6"):
        select_figures(reference, ["3"])
