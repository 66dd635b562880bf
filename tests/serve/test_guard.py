"""Who may ask `numasim serve`, and what a browser may do with its pages."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from simulator.serve.app import build_app
from simulator.serve.limits import Limits
from simulator.web.assets import asset
from tests.serve.conftest import ADDRESS, settings

PATHS = ("/", "/assets/serve.js", "/api/information", "/api/why/one", "/nowhere")


@pytest.fixture(scope="module")
def guarded() -> TestClient:
    """A server elsewhere; its workers are not needed and do not start."""
    return TestClient(build_app(settings(Limits(jobs=1), names=(), token="secret", port=7)), base_url="http://10.0.0.7:7")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8642", "192.168.0.9", ""])
def test_a_loopback_server_is_reached_by_its_own_names_alone(client: TestClient, path: str, host: str) -> None:
    answer = client.get(path, headers={"host": host})
    assert answer.status_code == 403
    assert "localhost or 127.0.0.1 only" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost:8642", "localhost", "LOCALHOST:9", "127.0.0.1:1234", "[::1]:8642"])
def test_through_a_tunnel_the_port_may_be_another(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


def test_pages_of_other_sites_may_not_ask(client: TestClient) -> None:
    body = {"machine": "quartet"}
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        assert client.post("/api/machine", json=body, headers={"origin": origin}).status_code == 403
    own = client.post("/api/machine", json=body, headers={"origin": ADDRESS})
    assert own.status_code == 200
    assert "access-control-allow-origin" not in own.headers


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("given", ["", "?token=", "?token=wrong", "?token=secret2"])
def test_every_request_needs_the_token(guarded: TestClient, path: str, given: str) -> None:
    guarded.cookies.clear()
    answer = guarded.get(path + given)
    assert answer.status_code == 401
    assert "token is missing or wrong" in answer.json()["error"]
    guarded.cookies.set("numasim-7", "wrong")
    assert guarded.get(path).status_code == 401


def test_the_link_leaves_the_token_as_a_cookie(guarded: TestClient) -> None:
    guarded.cookies.clear()
    answer = guarded.get("/?token=secret", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert re.fullmatch(r"numasim-7=secret; HttpOnly; Path=/; SameSite=strict", answer.headers["set-cookie"])
    for path in PATHS[:3]:
        assert guarded.get(path).status_code == 200
    assert guarded.get("/?token=secret", follow_redirects=False).status_code == 303  # not kept in the address the second time
    assert guarded.get("/?token=wrong").status_code == 401
    guarded.cookies.clear()
    assert guarded.get("/api/information?token=secret").status_code == 200


@pytest.mark.parametrize("path", [*PATHS, "/api/run"])
def test_what_browsers_may_do(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_page_has_nothing_that_its_policy_refuses() -> None:
    page = asset("assets/serve.html")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?://", page)
    for name in ("machine.js", "page.js", "serve-setup.js", "serve-place.js", "serve-show.js", "serve.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", asset(f"assets/{name}")), name


def test_every_asset_of_the_page_is_served_and_nothing_else(client: TestClient) -> None:
    for name in re.findall(r'(?:src|href)="(assets/[^"]+)"', asset("assets/serve.html")):
        answer = client.get(f"/{name}")
        assert answer.status_code == 200
        assert answer.text == asset(name)
    for name in ("serve.html", "../assets.py", "%2e%2e/assets.py", "nothing.js", "../vendor/plotly-basic.min.js"):
        assert client.get(f"/assets/{name}").status_code == 404
