"""`numasim serve`: where it listens, what it offers, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main

pytest.importorskip("uvicorn")
SERVE = "import sys; from simulator.cli.main import main; sys.exit(main(['serve', *sys.argv[1:]]))"


def started(*arguments: str, folder: Path | None = None) -> tuple[subprocess.Popen[str], str]:
    """Start a server; return it with its link."""
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-c", SERVE, "--port", "0", "--jobs", "1", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.fullmatch(r"numasim: serving at (http://\S+) \(Ctrl-C ends it\)\n", line)
    assert found is not None, line + process.stderr.read()
    return process, found[1]


def asked(link: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(link + path, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, None if body is None else json.dumps(body).encode(), timeout=60) as answer:
        return json.loads(answer.read())


def test_a_file_is_offered_and_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'extends = "two-node"\nschema_version = 1\nname = "mine"\ntitle = "My own"\nsource = "test"\n', encoding="utf-8"
    )
    process, link = started("mine.toml", folder=tmp_path)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", link)
    assert asked(link, "api/information")["machines"][0] == {"name": "mine.toml", "title": "My own"}
    answer = asked(link, "api/run", {"tab": "one", "setup": {"machine": "mine.toml", "threads": ["0.0.r.1"]}})
    assert answer["command"] == "numasim run mine.toml 0.0.r.1 --ci 1.5 --lines 10000"
    assert json.loads(answer["document"])["machine"] == "mine"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "numasim: interrupted\n"


def test_elsewhere_the_link_has_a_new_token_each_time() -> None:
    tokens = set()
    for _ in range(2):
        process, link = started("--host", "0.0.0.0")
        tokens.add(link.partition("?token=")[2])
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"numasim: error: --host 127.0.0.1 --port {port}: cannot listen there: address already in use; "
        "allowed: a free port; 0 finds one\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "70000"], "'70000' is not a port from 0 to 65535"),
        (["--port", "-1"], "is not a port"),
        (["--host", ""], "--host: is no host"),
        (["--host", "no.such.host.invalid"], "cannot listen there"),
        (["--host", "\u00e4" * 80], "is no host"),
        (["--jobs", "0"], "not a whole number of at least 1"),
        (["nowhere.toml"], "there is no machine of that name"),
        (["opteron-k8"], "nodes"),
    ],
)
def test_what_cannot_be_served(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *arguments]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_its_extra_it_says_how_to_get_it(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    assert main(["serve"]) == 2
    assert f"needs {name}, which is not installed; allowed: what `pip install 'numasim[serve]'` brings" in capsys.readouterr().err
