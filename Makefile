# Everything runs from .venv, which the first target that needs it sets up.
# To choose an interpreter: make PYTHON=python3.12 setup

PYTHON ?= python3
BIN := .venv/bin
KERNELS := $(wildcard src/rankbook/engine/*_cy.py)
PYTEST := $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal
QUICK := $(addprefix tests/,api book cases contract docs engine kernel/test_page.py model unit)

.DEFAULT_GOAL := help
.PHONY: help setup demo quick test soak check bench pins clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' Makefile | expand -t 10

setup: .venv/.compiled ## make .venv with pinned packages and the package itself

demo: setup ## run the demonstration
	@$(BIN)/rankbook demo

quick: setup ## run what is fast: the rules, books, stores and documents; no server, no browser
	@$(PYTEST) --hypothesis-profile quick -m "not soak and not server" $(QUICK)

test: setup ## run what every promise needs; installs missing servers when root
	@scripts/servers
	@$(PYTEST) --hypothesis-profile test -m "not soak"

soak: setup ## run what `make test` leaves out: every home, every kill, and many more examples
	@scripts/servers
	@$(PYTEST) --hypothesis-profile soak -m "soak or deep"

check: setup ## formatting, lint, types and the direction of imports
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy --strict src
	@$(BIN)/lint-imports --no-logo --no-cache

bench: setup ## run every measurement at its small size
	@$(BIN)/python -m bench

pins: setup ## resolve requirements/dev.txt anew from pyproject.toml
	@scripts/pins

clean: ## remove .venv and all that was built
	@rm -rf .venv build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache \
	  .import_linter_cache .hypothesis
	@rm -f src/rankbook/engine/*_cy.*.so
	@find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.ready: requirements/dev.txt pyproject.toml setup.py scripts/venv
	@scripts/venv $(PYTHON)
	@touch $@

# Plain files left in use earlier do not satisfy who requires compiled ones.
ifeq ($(RANKBOOK_REQUIRE_COMPILED),1)
.PHONY: .venv/.compiled
endif

# The compiled kernel hides its source, so a newer source rebuilds it.
.venv/.compiled: .venv/.ready $(KERNELS)
	@rm -f src/rankbook/engine/*_cy.*.so
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --quiet \
	  --no-deps --no-build-isolation --editable .
	@for kernel in $(KERNELS); do \
	  ls "$${kernel%.py}".*.so >/dev/null 2>&1 || \
	  echo "note: $$kernel is not compiled (is there a C compiler with Python's headers?) and runs as plain Python" >&2; \
	done
	@touch $@
