"""What pages carry: files that ship, as their authors published them, and data that cannot break out of its element."""

from __future__ import annotations

import hashlib
import json
import tomllib

import pytest

from simulator.errors import InputError
from simulator.web.assets import asset, environment, json_text, page_data


def test_vendored_files_are_as_published_and_have_their_licence() -> None:
    for package in tomllib.loads(asset("vendor/vendor.toml"))["package"]:
        assert set(package["sha256"]) == set(package["files"])
        for name, expected in package["sha256"].items():
            assert hashlib.sha256(asset(f"vendor/{name}").encode()).hexdigest() == expected
        assert any(name.endswith(".LICENSE") for name in package["files"])


def test_data_cannot_end_its_element() -> None:
    value = {"</script>": "<!-- <script> & </SCRIPT> \u2028 ]]>"}
    text = str(page_data(value))
    assert not set("<>&") & set(text) and json.loads(text) == value


def test_numbers_that_a_browser_cannot_read_are_refused() -> None:
    with pytest.raises(InputError, match="not finite"):
        json_text([1.0, float("inf")])


def test_templates_escape_and_refuse_what_is_missing() -> None:
    templates = environment("simulator.report")
    assert templates.from_string("{{ text }}").render(text="<b>&\"'") == "&lt;b&gt;&amp;&#34;&#39;"
    with pytest.raises(Exception, match="undefined"):
        templates.from_string("{{ nothing }}").render()
    assert str(templates.globals["style"]("assets/common.css")).startswith("<style>\n")  # type: ignore[operator]


def test_scripts_hold_nothing_that_ends_their_element() -> None:
    for name in ("assets/machine.js", "assets/page.js", "vendor/plotly-basic.min.js"):
        assert "</script" not in asset(name).lower()
