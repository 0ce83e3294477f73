# `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python may keep its bytecode: the tests start some thousand processes, and each would compile every module again.
export PYTHONDONTWRITEBYTECODE :=

# Modules in the project of the benchmark, and another checkout to compare with in the same run: make bench AGAINST=../before.
FILES ?= 600

# On a terminal, one line that names the package that pip is at; nothing elsewhere.
PROGRESS := if [ -t 1 ]; then awk '/^ *(Collecting|Downloading|Building|Installing)/ \
	{ printf "\r\033[K  %.70s", $$0; fflush() } END { printf "\r\033[K" }'; else cat >/dev/null; fi

.DEFAULT_GOAL := help
.PHONY: help setup test lint structure unit cases hostile hosts conformance editor format snapshots commands picture page-pictures demo bench bench-quality bench-facts bench-issues bench-verify bench-team fuzz brute clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Aurora needs Python 3.11 or newer; run make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'setting up $(VENV) (once; a minute or two) …'
	@mkdir -p build && rm -f build/setup-failed
	@{ PYTHONWARNINGS=ignore $(BIN)/python -m pip install --disable-pip-version-check --editable '.[dev]' \
		2>build/setup.log || touch build/setup-failed; } | $(PROGRESS)
	@if [ -e build/setup-failed ]; then cat build/setup.log >&2; exit 1; fi
	@mkdir -p build/typing && ln -sfn ../.. build/typing/aurora
	@touch $@

setup: $(VENV)/.ready ## make the virtual environment

test: lint unit cases ## set up, and run everything that CI runs

lint: setup ## run ruff, mypy, the import contracts and the structure's figures
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=build/typing $(BIN)/mypy -p aurora
	$(BIN)/lint-imports
	$(BIN)/python bench/structure.py

structure: setup ## print the figures of the code's structure; `bench/structure.py --all` lists every violation
	$(BIN)/python bench/structure.py

# Three workers on two cores: a test that waits for a process leaves its core to another. Real processes on a busy machine: a
# test that fails is run once more alone, and `make` fails if it fails again. One that passes then is a mistake of its own or a
# race in the program; its first failure stays in the output, to be mended.
unit: setup ## run the tests; a missing snapshot fails and is never created here
	$(BIN)/python -m pytest -n 3 --dist worksteal || { test $$? -eq 1 && \
		echo 'Tests failed. They run once more, alone; whatever comes of it, the failures above are to be mended.' && \
		$(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 3; }

cases: setup ## run the test cases of the shipped workflows, and print their coverage
	$(BIN)/aur workflow test --coverage

hostile: setup ## run every hostile input in a clone of its own, and print a table of the outcomes
	$(BIN)/python bench/hostile.py

# The assistants that are missing in this folder are installed. HOSTS=codex,gemini takes only these;
# WALKS=mistakes makes only the walks with that in their names.
REAL_HOSTS ?= build/hosts
HOSTS ?=

hosts: setup ## walk three workflows with real assistants from npm (some 1.8 GB) and a scripted model, and print a table
	@$(BIN)/python bench/install_hosts.py $(REAL_HOSTS) --hosts "$(HOSTS)"
	AURORA_REAL_HOSTS=$(REAL_HOSTS) $(BIN)/python -m pytest tests/hosts/test_real_hosts.py tests/hosts/test_real_hosts_over_http.py
	@$(BIN)/python bench/walk.py $(REAL_HOSTS) --hosts "$(HOSTS)" --walks "$(WALKS)"

CONFORMANCE ?= build/conformance

conformance: setup ## run the official MCP conformance suite and the Inspector against a server over HTTP (from npm, 250 MB)
	@$(BIN)/python bench/install_conformance.py $(CONFORMANCE)
	AURORA_CONFORMANCE=$(CONFORMANCE) $(BIN)/python -m pytest tests/serve/conformance

EDITOR_FOLDER ?= build/editor

editor: setup ## run the extension in VS Code itself, in a browser (from npm, 800 MB); needs Chromium
	@$(BIN)/python bench/install_editor.py $(EDITOR_FOLDER)
	AURORA_REAL_EDITOR=$(EDITOR_FOLDER) $(BIN)/python -m pytest tests/integrations/vscode/test_real_editor.py

format: setup ## format and fix the code with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

snapshots: setup ## rewrite the snapshots; read the diff before you commit it
	$(BIN)/python -m pytest -n 2 --snapshot-update

commands: setup ## generate COMMANDS.md and the tables of commands and aliases from the declarations
	$(BIN)/python -m aurora.cli.manual.generated .
	$(BIN)/python tests/docs/specification_page.py

picture: setup ## draw docs/generated/soar.svg
	@$(BIN)/python examples/picture.py

page-pictures: setup ## take the pictures of the page, of the demo's run; needs Chromium
	@test -e build/demo/memory.db || $(BIN)/python examples/demo.py >/dev/null
	@$(BIN)/python examples/page_pictures.py

demo: setup ## index this repository, and run two questions through SOAR over MCP
	@$(BIN)/python examples/demo.py

bench: setup ## measure start, steps, search and indexing; AGAINST=FOLDER compares with another checkout
	@$(BIN)/python bench/table.py --files $(FILES) $(if $(AGAINST),--against $(AGAINST))

# Labelled questions (bench/quality.py states their form), and the folder of their code bases.
QUESTIONS ?= questions.jsonl
SOURCES ?= build/sources

bench-quality: setup ## measure levels of questions and retrieval quality; QUESTIONS=FILE SOURCES=FOLDER
	@$(BIN)/python bench/levels.py
	@$(BIN)/python bench/quality.py $(QUESTIONS) $(SOURCES) $(if $(HISTORY),--history $(HISTORY))

bench-facts: setup ## ask for recorded facts in other words; FACTS=FILE HISTORY=FILE
	@$(BIN)/python bench/facts.py $(FACTS) $(if $(HISTORY),--history $(HISTORY))

# Issues with the files of their patches, as in SWE-bench Lite, and a folder of the repositories, named owner__name.
bench-issues: setup ## search the texts of issues at their commits; ISSUES=FILE REPOSITORIES=FOLDER
	@$(BIN)/python bench/issues.py $(ISSUES) $(REPOSITORIES) $(if $(HISTORY),--history $(HISTORY))

bench-verify: setup ## print the verdicts of SOAR's verify on labelled decompositions
	@$(BIN)/python bench/decompositions.py

# Runs of SOAR, and searches, of the measurement with two workers.
TEAM_RUNS ?= 1000
TEAM_CALLS ?= 30000

bench-team: setup ## walk SOAR with 16 clients over two workers on PostgreSQL and SQLite; TEAM_RUNS=1000 TEAM_CALLS=30000
	@$(BIN)/python bench/team.py $(TEAM_RUNS) $(TEAM_CALLS)

# Seconds of a run; SEED=1 repeats one, without it the seed is random and printed.
SECONDS ?= 60

fuzz: setup ## check and step mutated workflows in a process with limits; SECONDS=600, SEED=1
	@$(BIN)/python bench/fuzz.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# The number of generated workflows.
WORKFLOWS ?= 2000
FIRST ?= 0

brute: setup ## compare what is claimed of generated workflows with all their runs; WORKFLOWS=2000 FIRST=0
	@AURORA_BRUTE_SEEDS=$(WORKFLOWS) AURORA_BRUTE_FIRST=$(FIRST) $(BIN)/python -m pytest -q --timeout 0 -o faulthandler_timeout=0 tests/properties/test_brute.py

clean: ## remove the virtual environment and what was built
	rm -rf $(VENV) build dist *.egg-info
