# Everything sets itself up in .venv; a second call finds it done.
#   make reproduce   AMD's figures replayed: table here, pictures and data in results/
#   make test        the quick tests, under 6 minutes on 2 cores
#   make test-all    the slow ones too
#   make verify      stations of the engines against queueing theory, under 5 minutes; QUICK=1: under 1 minute; SEED=N: other numbers
#   make notebooks   notebooks/*.ipynb executed from their texts, under 2 minutes after set-up
#   make browser     pages in a real browser; needs Chromium (Debian: apt-get install chromium)
#   make lint        ruff and mypy
#   make docs        docs/ and pages made from the program, as a site in site/; needs no network once set up
#   make bench       speed of the engines as ratios to plain simpy, C and other simulators; fails below its floors
PYTHON ?= python3
BIN := .venv/bin
SEED ?= 1
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 5
RUN_READY := .venv/run.stamp
DEV_READY := .venv/dev.stamp
NOTEBOOKS_READY := .venv/notebooks.stamp
DOCS_READY := .venv/docs.stamp
BROWSER_READY := .venv/browser.stamp
BENCH := .venv/bench
BENCH_PIP := $(subst $(BIN),$(BENCH)/bin,$(PIP))
BENCH_READY := .venv/bench.stamp

.PHONY: reproduce test test-all verify notebooks browser lint docs bench vendor clean

reproduce: $(RUN_READY)
	$(BIN)/numasim reproduce amd-40555 --out results

test: $(DEV_READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow and not verify and not browser"

test-all: $(DEV_READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "not verify and not browser"

verify: $(DEV_READY) $(if $(QUICK),,$(BENCH_READY))
	NUMASIM_VERIFY_SEED=$(SEED) $(if $(QUICK),,NUMASIM_VERIFY_CIW=required )$(BIN)/python -m pytest -n $(JOBS) -m "verify$(if $(QUICK), and not slow)" tests/verification

notebooks: $(NOTEBOOKS_READY)
	$(BIN)/python -m simulator.cli.notebooks notebooks/*.py

browser: $(BROWSER_READY)
	$(BIN)/python -m pytest -m browser tests/browser -rs

lint: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

# The builder puts a site only below its configuration, so it is moved.
docs: $(DOCS_READY)
	$(BIN)/python -m docs.generate build/docs
	$(BIN)/python -m zensical build --strict --clean --config-file build/docs/site.toml
	rm -rf site && mv build/docs/site site

bench: $(BENCH_READY)
	$(BENCH)/bin/python -m benchmarks

# What pages carry of others, once more from npm, checked against its pinned hash.
vendor: $(BIN)/python
	$(BIN)/python tools/vendor.py

clean:
	rm -rf .venv results build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "numasim needs Python 3.11 or newer; say make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

$(RUN_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(DEV_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch $@ $(RUN_READY)

$(NOTEBOOKS_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[notebooks]'
	@touch $@ $(RUN_READY)

$(BROWSER_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev,browser]'
	@touch $@ $(DEV_READY) $(RUN_READY)

$(DOCS_READY): pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@ $(RUN_READY)

# An environment of its own: Ciw installs a package named `tests`, which would hide ours. Without the other simulators the
# benchmark runs and says what it left out.
$(BENCH_READY): pyproject.toml | $(BIN)/python
	$(PYTHON) -m venv $(BENCH)
	if $(BENCH_PIP) --editable '.[bench]'; then touch $@; else $(BENCH_PIP) --editable .; fi
