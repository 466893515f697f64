# Set-up, running and checking. `make` alone lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
# More arguments for pip, for example where to find another build of torch (see README.md).
PIP_ARGS ?=
HOST ?= 127.0.0.1
PORT ?= 8000

BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check $(PIP_ARGS)
SOURCES := crmind knowledge retrieval cachemgr tests manage.py

export HF_HUB_OFFLINE ?= 1
export CHROMIUM

.PHONY: help run demo test browser pictures sweep check lint types imports migrations deployment format clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The stamps make a second call take no time; they are renewed when the requirements change.
$(VENV)/.base: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "CRMind needs Python 3.11 or newer; set PYTHON=/path/to/it."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "CRMind needs Python 3.11 or newer; set PYTHON=/path/to/it."; exit 1; }
	@echo "Installing CRMind into $(VENV) (a few minutes the first time) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -c constraints.txt torch
	@$(PIP) -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@echo "Installing what the tests and checks need ..."
	@$(PIP) -c constraints.txt -e '.[test,lint,types]'
	@touch $@

run: $(VENV)/.base ## Install, start everything with the demo knowledge base, serve until Ctrl-C
	@exec $(BIN)/python manage.py serve --host $(HOST) --port $(PORT)

demo: $(VENV)/.base ## Install, load the demo knowledge base, print a ranked answer
	@$(BIN)/python manage.py demo

test: $(VENV)/.dev ## Install what the tests need and run them
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

browser: $(VENV)/.dev ## Install Chromium where it is missing; drive the admin with it; pictures to screenshots/
	@test -n "$(CHROMIUM)" || command -v chromium chromium-browser google-chrome >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } || \
		{ echo "Install Chromium (on Debian, as root: apt-get install chromium), or name a browser: make browser CHROMIUM=/path/to/it"; exit 1; }
	@CRMIND_SCREENSHOTS=$${CRMIND_SCREENSHOTS:-screenshots} $(BIN)/python -m pytest tests/browser

pictures: $(VENV)/.dev ## Take the pictures of docs/how-to/curate.md anew
	@CRMIND_PICTURES=docs/images $(BIN)/python -m pytest tests/browser/test_walkthrough.py

sweep: $(VENV)/.dev ## Open every page of the admin as every role over 100,000 passages; sweep.tsv
	@ADMIN_SWEEP=$(CURDIR)/sweep.tsv $(BIN)/python -m pytest -n 0 tests/integration/admin/sweep.py

check: lint types imports migrations deployment ## Linters, types, import contracts, migrations

lint: $(VENV)/.dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/djlint --check --lint templates

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

migrations: $(VENV)/.dev
	$(BIN)/python manage.py makemigrations --check --dry-run

deployment: $(VENV)/.dev
	HTTPS=true SECRET_KEY=$$(head -c 48 /dev/urandom | base64) \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/.dev ## Format code and templates
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/djlint --reformat --quiet templates || true

clean: ## Remove what was installed and built; asks before the data goes
	@read -r -p "Remove $(VENV) and all data in .crmind? [y/N] " answer && [ "$$answer" = y ]
	rm -rf $(VENV) .crmind
