# Everything is made inside this folder and DATA_DIR; nothing is installed anywhere else.
SHELL := /bin/sh
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes
COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host \
	--no-emit-find-links --strip-extras --allow-unsafe --no-header
# Processes that the tests are spread over.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export npm_config_cache := $(CURDIR)/.venv/npm-cache

.PHONY: run test lint format lock browsers chaos chaos-long fuzz pictures help

help:
	@echo "make run       start everything: web, workers, database, queue (Ctrl-C ends it)"
	@echo "make test      linters, types, layers, and all tests"
	@echo "make lint      linters, types and layers only"
	@echo "make format    format the code"
	@echo "make chaos     kill, flush and restart everything while conversations come in (ARGS=\"--faults 60 …\")"
	@echo "make chaos-long  the same with 10,000 exchanges and 250 faults"
	@echo "make fuzz      10,000 made-up requests against the JSON API"
	@echo "make browsers  get Chromium, for the browser tests"
	@echo "make lock      renew requirements/*.txt from pyproject.toml"

run: .venv/run.stamp static/vendor
	@$(BIN)/flask --app jobs.cli serve

test: lint static/vendor
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

lint: .venv/dev.stamp
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: .venv/dev.stamp
	@$(BIN)/ruff check --fix --quiet
	@$(BIN)/ruff format

chaos: .venv/dev.stamp static/vendor
	@$(BIN)/python -m tests.chaos $(ARGS)

# A quarter of an hour or so, by another seed each time.
chaos-long: .venv/dev.stamp static/vendor
	@$(BIN)/python -m tests.chaos --exchanges 10000 --faults 250 $(ARGS)

# 10,000 requests made up from the API's schema: no 5xx, nothing that the schema does not know.
fuzz: .venv/dev.stamp static/vendor
	@FUZZ_REQUESTS=$${FUZZ_REQUESTS:-10000} $(BIN)/python -m pytest -s tests/functional/api/test_fuzz.py

# Takes the README's pictures anew from a fresh demo.
pictures: .venv/dev.stamp static/vendor
	@$(BIN)/python -m tests.browser.pictures

browsers:
	@.ci/browsers

lock: .venv/dev.stamp
	$(COMPILE) --output-file requirements/run.txt pyproject.toml
	$(COMPILE) --extra dev --constraint requirements/run.txt --output-file requirements/dev.txt pyproject.toml
	@touch .venv/run.stamp .venv/dev.stamp

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "python3-venv is missing: run  apt-get install python3-venv  as root, then this again" >&2; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/run.stamp: requirements/run.txt | .venv/bin/python
	@echo "Installing packages into .venv (once) …"
	@$(PIP) -r $<
	@touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	@echo "Installing the tests' packages into .venv (once) …"
	@$(PIP) -r $<
	@touch $@

static/vendor: package-lock.json webapp/assets.py | .venv/run.stamp
	@$(BIN)/python -m webapp.assets
	@touch $@
