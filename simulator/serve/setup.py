"""What a page asks to be run: read from its request, and as the command line that gives the same."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.machine.read import unknown_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.serve.limits import LONGEST_TEXT, MOST_SETTINGS, MOST_THREADS
from simulator.workload import Workload, check_workload
from simulator.workload.levels import background_rates

_KEYS = ("machine", "threads", "background", "set")


@dataclass(frozen=True)
class Setup:
    """A machine and its threads, in the words of the command line.

    Attributes
    ----------
    machine : str
        Name of a shipped machine, or a machine file that the server was started with.
    threads : tuple of str
        Labels of foreground threads.
    background : tuple of str
        As ``--background`` takes them.
    settings : tuple of str
        As ``--set`` takes them.
    """

    machine: str
    threads: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    def arguments(self, command: str, accuracy: Accuracy) -> list[str]:
        """Return the arguments of `numasim` that give the same numbers."""
        background = [text for label in self.background for text in ("--background", label)]
        settings = [text for setting in self.settings for text in ("--set", setting)]
        length = ["--ci", f"{accuracy.ci_percent:g}", "--lines", str(accuracy.lines)]
        return [command, self.machine, *self.threads, *background, *settings, *length]

    def command_line(self, command: str, accuracy: Accuracy) -> str:
        """Return them as a line for a shell."""
        return shlex.join(["numasim", *self.arguments(command, accuracy)])


def read_setup(document: Any) -> Setup:
    """Read the set-up out of a request.

    Raises
    ------
    InputError
        It is no set-up, or larger than a page may ask for.
    """
    if not isinstance(document, dict):
        raise InputError("is no set-up", file="request", allowed=f"an object with {', '.join(_KEYS)}")
    for key in document:
        if key not in _KEYS:
            raise InputError("there is no such field", file="request", field=str(key)[:LONGEST_TEXT], allowed=", ".join(_KEYS))
    machine = document.get("machine")
    if not isinstance(machine, str) or len(machine) > LONGEST_TEXT:
        raise InputError("is no machine", file="request", field="machine", value=machine, allowed="a name")
    threads, background = (_texts(document, key, MOST_THREADS) for key in ("threads", "background"))
    if len(threads) + len(background) > MOST_THREADS:
        number = len(threads) + len(background)
        raise InputError("too many threads for this page", field="threads", value=number, allowed=f"at most {MOST_THREADS}")
    return Setup(machine, threads, background, _texts(document, "set", MOST_SETTINGS))


def load(setup: Setup, offered: Collection[str]) -> tuple[Machine, Workload]:
    """Return the machine and the threads on it.

    Parameters
    ----------
    setup : Setup
    offered : collection of str
        Machines that may be loaded; nothing else is looked for on this computer.

    Raises
    ------
    InputError
        As `numasim run` with the same arguments, in the same words.
    """
    machine = load_offered(setup, offered)
    workload = Workload.from_labels(setup.threads, background=background_rates(setup.background))
    check_workload(machine, workload)
    return machine, workload


def load_offered(setup: Setup, offered: Collection[str]) -> Machine:
    """Return the machine alone; raise InputError as `load`."""
    if setup.machine not in offered:
        raise unknown_machine(setup.machine)
    return load_machine(setup.machine, setup.settings)


def _texts(document: dict[str, Any], key: str, most: int) -> tuple[str, ...]:
    texts = document.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError("is no list of texts", file="request", field=key)
    if len(texts) > most:
        raise InputError("too many for this page", file="request", field=key, value=len(texts), allowed=f"at most {most}")
    for text in texts:
        if len(text) > LONGEST_TEXT:
            allowed = f"at most {LONGEST_TEXT} characters"
            raise InputError("is too long", file="request", field=key, value=text, allowed=allowed)
    return tuple(texts)
