"""`numasim schema`: the JSON Schema of a file or of a command's JSON."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

_MODELS = {
    "reference": "simulator.validation.reference:Reference",
    "run": "simulator.measure.result:RunResult",
    "reproduce": "simulator.validation.report:Reproduction",
    "truth-table": "simulator.validation.truth_table_report:TruthTable",
    "workload": "simulator.program.spec:Program",
    "place": "simulator.program.report:Placement",
    "sweep": "simulator.sweep.spec:Sweep",
    "sweep-report": "simulator.sweep.report:SweepReport",
    "results": "simulator.sweep.report:ResultRows",
    "matrix": "simulator.measure.matrix:MatrixReport",
    "loaded-latency": "simulator.measure.loaded:LoadedReport",
    "compare": "simulator.validation.comparison_report:Comparison",
    "measure": "simulator.host.report:HostReport",
    "calibrate": "simulator.calibration.report:Calibration",
    "estimate": "simulator.theory.estimate_report:Estimate",
    "trace": "simulator.observe.document:TraceDocument",
    "replay": "simulator.replay.result:Replays",
    "advise": "simulator.advise.report:Advice",
    "why": "simulator.explain.report:Why",
    "topo-list": "simulator.machine.report:TopoList",
    "topo-show": "simulator.machine.report:TopoShow",
    "topo-check": "simulator.machine.report:TopoCheck",
    "topo-import": "simulator.interop.import_report:TopoImport",
}


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser("schema", help="print the JSON Schema of a file or of a command's JSON")
    names = ("machine", *_MODELS)
    parser.add_argument("name", metavar="NAME", choices=names, help=f"one of {', '.join(names)}")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="file to write instead of stdout")
    parser.set_defaults(handler=command)


def command(args: argparse.Namespace) -> int:
    """Print a schema."""
    from simulator.cli.output import write_text

    write_text(args.output, json.dumps(schema(args.name), indent=2) + "\n")
    return 0


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema called `name`."""
    if name == "machine":
        from simulator.machine.schema import machine_json_schema

        return machine_json_schema()
    module, model = _MODELS[name].split(":")
    found: dict[str, Any] = getattr(import_module(module), model).model_json_schema()
    return found
