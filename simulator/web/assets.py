"""Style sheets, scripts and templates that ship with numasim, and text and data made safe to stand in a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def asset(name: str, package: str = "simulator.web") -> str:
    """Return the text of a file that ships in a package, such as ``assets/machine.js`` or ``vendor/plotly-basic.min.js``."""
    return files(package).joinpath(*name.split("/")).read_text(encoding="utf-8")


def environment(package: str) -> Environment:
    """Return the templates of a package's folder `templates`: whatever they are given is escaped, and a missing name is an error.

    Templates have ``style(name)`` and ``script(name)``, which put an asset into the page (of the package itself with
    ``own=true``), and the filter ``data`` (:func:`page_data`).
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters["data"] = page_data
    for tag in ("style", "script"):
        templates.globals[tag] = _including(tag, package)
    return templates


def page_data(value: Any) -> Markup:
    """Return a value as JSON that may stand in a ``<script type="application/json">``, whatever text is in it."""
    from markupsafe import Markup

    return Markup(json_text(value).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def json_text(value: Any) -> str:
    """Return a value as short JSON that a browser reads; raise InputError where a number is not finite."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise InputError("a number in it is not finite", allowed="results as numasim has written them") from None


def _including(tag: str, package: str) -> Callable[..., Markup]:
    def include(name: str, own: bool = False) -> Markup:
        from markupsafe import Markup

        text = asset(name, package) if own else asset(name)
        if f"</{tag}" in text.lower():
            raise ValueError(f"{name} would end its own element")
        return Markup(f"<{tag}>\n{text}</{tag}>")

    return include
