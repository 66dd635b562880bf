"""The form of a machine *file*: machine-wide blocks, and entries that override them for one node or link.

A file may leave anything out, since it may extend another; what is missing in the end is found when the machine is
resolved. The models here are made from those of :mod:`simulator.machine.spec`, so that each field is described once.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model

from simulator.machine.spec import (
    CachesSpec,
    CoherenceSpec,
    ControllerSpec,
    CoreSpec,
    CrossbarSpec,
    DistancesSpec,
    Link,
    LinkConstants,
    Node,
    ProcessorSpec,
    RoutingSpec,
    Source,
    SriSpec,
    Text,
)

_CONFIG = ConfigDict(extra="forbid", frozen=True)
NODE_BLOCKS: dict[str, type[BaseModel]] = {"sri": SriSpec, "crossbar": CrossbarSpec, "controller": ControllerSpec}
MACHINE_BLOCKS: dict[str, type[BaseModel]] = {
    "processor": ProcessorSpec,
    "core": CoreSpec,
    **NODE_BLOCKS,
    "link": LinkConstants,
    "coherence": CoherenceSpec,
    "routing": RoutingSpec,
    "distances": DistancesSpec,
    "caches": CachesSpec,
}
_WITHOUT_PARENT = ("schema_version", "name", "title", "source", "processor", "core", "coherence", "routing")


def _partial(model: type[BaseModel], name: str, required: tuple[str, ...] = ()) -> type[BaseModel]:
    """Make a model of the same fields, none of which need be there but those `required`."""
    fields: dict[str, Any] = {}
    for key, info in model.model_fields.items():
        nested = _model_in(info.annotation)
        kind: Any = info.annotation if nested is None else _partial(nested, f"{nested.__name__}Part")
        default = ... if key in required else None
        fields[key] = (Annotated[(kind, *info.metadata, Field(description=info.description))], default)
    return create_model(name, __config__=_CONFIG, __doc__=model.__doc__, **fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field holds, also where it may hold none."""
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _file_model() -> type[BaseModel]:
    parts = {name: _partial(model, f"{name.capitalize()}Block") for name, model in MACHINE_BLOCKS.items()}
    overrides: dict[str, Any] = {name: (parts[name], None) for name in NODE_BLOCKS}
    node = create_model(
        "NodeEntry",
        __base__=_without(Node, tuple(NODE_BLOCKS)),
        __doc__="A node; its tables override the machine-wide blocks.",
        **overrides,
    )
    link = _partial(_without(Link, ("ordinal",)), "LinkEntry", required=("ends", "source"))
    fields: dict[str, Any] = {
        "extends": Annotated[Text, Field(description="a shipped machine, or a path relative to this file, to build on")],
        "schema_version": Literal[1],
        "name": Annotated[Text, Field(description="one word; messages and results use it")],
        "title": Annotated[Text, Field(description="one line")],
        "source": Annotated[Source, Field(description="where the machine as a whole comes from")],
        **parts,
        "nodes": list[node],  # type: ignore[valid-type]
        "links": list[link],  # type: ignore[valid-type]
    }
    optional: dict[str, Any] = {name: (kind, None) for name, kind in fields.items()}
    doc = "A numasim machine file (TOML). docs/topology-format.md explains it."
    return create_model("MachineFile", __config__=_CONFIG, __doc__=doc, **optional)


def _without(model: type[BaseModel], names: tuple[str, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {key: (info.annotation, info) for key, info in model.model_fields.items() if key not in names}
    return create_model(model.__name__, __config__=_CONFIG, __doc__=model.__doc__, **fields)


MachineFile = _file_model()


@cache
def machine_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a machine file, as ``numasim schema machine`` prints it."""
    schema = _without_null_defaults(MachineFile.model_json_schema())
    assert isinstance(schema, dict)
    whole = {"required": list(_WITHOUT_PARENT)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "numasim machine file",
        "anyOf": [{"required": ["extends"]}, whole],
    }


def _without_null_defaults(schema: Any) -> Any:
    """Drop ``default: null`` and null alternatives: TOML has no null, a field is left out instead."""
    if isinstance(schema, list):
        return [_without_null_defaults(item) for item in schema if item != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _without_null_defaults(value) for key, value in schema.items() if not (key == "default" and value is None)}
    alternatives = kept.get("anyOf")
    if isinstance(alternatives, list) and len(alternatives) == 1:
        del kept["anyOf"]
        kept = {**alternatives[0], **kept}
    return kept
