# The front door. `make` lists what there is.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export ANSIBLE_CONFIG := $(CURDIR)/ansible.cfg
# Nothing here may reach a real account or an outside proxy by what the caller's shell happens to hold.
unexport AWS_PROFILE AWS_DEFAULT_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_ENDPOINT_URL
unexport AWS_REGION AWS_DEFAULT_REGION AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_CA_BUNDLE KUBECONFIG
unexport ANSIBLE_INVENTORY ANSIBLE_COLLECTIONS_PATH ANSIBLE_ROLES_PATH VIRTUAL_ENV PYTHONPATH PYTHONHOME
# Without its cache of compiled files Python reads Ansible and botocore from their sources at each start, for twice the time.
unexport PYTHONDONTWRITEBYTECODE
# Ansible refuses to start with any other encoding, as in a container whose locale is C.
export LC_ALL := C.UTF-8
export NO_PROXY := 127.0.0.1,localhost
export no_proxy := 127.0.0.1,localhost

.PHONY: help
help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## Python environment and link tree (every other command does this first)
	@sh scripts/setup.sh

.PHONY: demo
demo: setup ## an empty account becomes a cluster with Karpenter, proven by a scale test (KEEP=1: leave it running)
	@python -m scripts.demo $(if $(KEEP),--keep)

.PHONY: test
test: setup ## everything but the exhaustive kill tests
	@python -m scripts.run_tests full

.PHONY: test-fast
test-fast: setup ## unit tests and the quick linters, no sandbox, under three minutes
	@python -m scripts.run_tests fast

.PHONY: test-long
test-long: setup ## everything, with a kill in each wait
	@python -m scripts.run_tests long

.PHONY: lint
lint: setup ## all linters, sanity, documentation
	@python -m scripts.run_tests lint

.PHONY: sandbox-up
sandbox-up: setup ## build what is missing, start the sandbox
	@python -m sandbox build
	@python -m sandbox up

.PHONY: sandbox-down
sandbox-down: setup ## stop the sandbox, leave no process
	@python -m sandbox down

.PHONY: sandbox-status
sandbox-status: setup ## what runs, and what died with the end of its log
	@python -m sandbox status

.PHONY: docs
docs: setup ## the documentation as HTML in build/docs
	@python -m scripts.build_docs

.PHONY: bench
bench: setup ## CPU-seconds of a converged run next to the tutorial's commands
	@python -m bench

.PHONY: conformance
conformance: setup ## Karpenter's end-to-end suite on a cluster of its own (PART=performance SPEC=regexp MINUTES=15 AGAIN=1 KEEP=1)
	@python -m conformance --part "$(or $(PART),regression)" --spec "$(SPEC)" \
	  $(if $(MINUTES),--minutes $(MINUTES)) $(if $(CLUSTERS),--clusters $(CLUSTERS)) $(if $(AGAIN),--again) $(if $(KEEP),--keep)

.PHONY: requirements
requirements: setup ## compile requirements/*.in again (UPGRADE=1: take newer versions)
	@for name in setup dev bench; do \
	  uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-header --no-annotate --no-emit-index-url \
	    $(if $(UPGRADE),--upgrade) requirements/$$name.in --output-file requirements/$$name.txt || exit 1; \
	done

.PHONY: clean
clean: ## stop the sandbox, remove what was made here (built programs in the cache stay)
	@if [ -x .venv/bin/python ] && [ -d .sandbox ]; then python -m sandbox down; fi
	@rm -rf .sandbox .cache .ansible .mypy_cache .ruff_cache .pytest_cache build dist collections .venv eksops-karpenter-*.tar.gz
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
