# `make` alone lists the words.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# How many chunks the benchmark's memories hold; `make bench BENCH_SIZES=2000` is quick, and 1000000 takes half an hour.
BENCH_SIZES ?= 1000 10000 100000

.DEFAULT_GOAL := help
.PHONY: help setup test lint unit cases hosts format snapshots commands demo bench bench-quality clean

help: ## list the words
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Aurora needs Python 3.11 or newer; say make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'setting up $(VENV) (once; a minute or two) …'
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@mkdir -p build/typing && ln -sfn ../.. build/typing/aurora
	@touch $@

setup: $(VENV)/.ready ## make the virtual environment

test: lint unit cases ## set up, and run everything that CI runs

lint: setup ## ruff, mypy, the contract between the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=build/typing $(BIN)/mypy -p aurora
	$(BIN)/lint-imports

unit: setup ## the tests; a missing snapshot fails and is never made here
	$(BIN)/python -m pytest -n 2

cases: setup ## play the cases beside the shipped workflows, and tell what they cover
	$(BIN)/aur workflow test --coverage

# A folder in which npm has installed them may be named: `make hosts REAL_HOSTS=/path`.
REAL_HOSTS ?= 1

hosts: setup ## let real assistants from npm (some 500 MB) say whether Aurora is connected
	AURORA_REAL_HOSTS=$(REAL_HOSTS) $(BIN)/python -m pytest tests/hosts/test_real_hosts.py

format: setup ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

snapshots: setup ## write the snapshots anew; read the diff before you commit it
	$(BIN)/python -m pytest -n 2 --snapshot-update

commands: setup ## generate COMMANDS.md, the manifest and the tables of commands and aliases from the declarations
	$(BIN)/python -m aurora.cli.manual.generated .

demo: setup ## index this repository, and walk two questions through SOAR over MCP
	@$(BIN)/python examples/demo.py

bench: setup ## one table of ratios; BENCH_SIZES="2000" for a quick run
	@$(BIN)/python bench/table.py $(BENCH_SIZES)

# Labelled questions (bench/quality.py says of what form), and where their code bases are or will be fetched to.
QUESTIONS ?= questions.jsonl
SOURCES ?= build/sources

bench-quality: setup ## how good the answers are; QUESTIONS=FILE SOURCES=FOLDER
	@$(BIN)/python bench/quality.py $(QUESTIONS) $(SOURCES)

clean: ## forget what was built
	rm -rf $(VENV) build dist *.egg-info
