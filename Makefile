# Everything sets itself up in .venv; a second call finds it done.
#   make reproduce   AMD's figures replayed: table here, pictures and data in results/
#   make test        the quick tests, under 6 minutes on 2 cores
#   make test-all    the slow ones too
#   make lint        ruff and mypy
#   make bench       speed of the engines as ratios to plain simpy, C and other simulators; fails below its floors
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 5
RUN_READY := .venv/run.stamp
DEV_READY := .venv/dev.stamp
BENCH := .venv/bench
BENCH_PIP := $(subst $(BIN),$(BENCH)/bin,$(PIP))
BENCH_READY := .venv/bench.stamp

.PHONY: reproduce test test-all lint bench clean

reproduce: $(RUN_READY)
	$(BIN)/numasim reproduce amd-40555 --out results

test: $(DEV_READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: $(DEV_READY)
	$(BIN)/python -m pytest -n $(JOBS)

lint: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(BENCH_READY)
	$(BENCH)/bin/python -m benchmarks

clean:
	rm -rf .venv results build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "numasim needs Python 3.11 or newer; say make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

$(RUN_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(DEV_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch $@ $(RUN_READY)

# An environment of its own: Ciw installs a package named `tests`, which would hide ours. Without the other simulators the
# benchmark runs and says what it left out.
$(BENCH_READY): pyproject.toml | $(BIN)/python
	$(PYTHON) -m venv $(BENCH)
	if $(BENCH_PIP) --editable '.[bench]'; then touch $@; else $(BENCH_PIP) --editable .; fi
