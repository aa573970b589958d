# make demo   sets everything up and runs the main job on the embedded sample
# make test   sets everything up and runs lint, types and all tests
# make bench      measures speed against peers and writes benchmarks/results
# make fault      damage, crashes, fuzzing, attacks: hours of it; writes tests/fault/results
# make audit      known vulnerabilities of the pinned packages (asks an advisory service)
# make reproduce  reruns the papers' tables and writes reproduce/results
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test lint bench fault audit reproduce clean

demo: $(VENV)/.installed
	$(BIN)/lexfield demo --output demo-output

test: lint
	@command -v chromium >/dev/null || echo "chromium is not installed: the tests of the page in a browser are skipped"
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/run.py

fault: $(VENV)/.installed-bench
	$(PIP) -e '.[fault]'
	nice $(BIN)/python -m tests.fault.run

audit: $(VENV)/.installed
	$(PYTHON) -m venv $(VENV)-audit && $(VENV)-audit/bin/pip install --quiet pip-audit
	$(VENV)-audit/bin/pip-audit -r constraints.txt --no-deps --disable-pip

reproduce: $(VENV)/.installed-bench
	$(BIN)/python reproduce/variety.py
	$(BIN)/python reproduce/labels.py
	$(BIN)/python reproduce/zipf.py
	$(BIN)/python reproduce/simplex_bounds.py
	$(BIN)/python reproduce/simplex_neighbours.py
	$(BIN)/python reproduce/topic_retrieval.py
	$(BIN)/python reproduce/translation.py
	$(BIN)/python reproduce/uncertainty.py
	$(BIN)/python reproduce/metric_retrieval.py
	$(BIN)/python reproduce/metric_clustering.py
	$(BIN)/python reproduce/metric_duplicates.py
	$(BIN)/python reproduce/questionnaire.py

$(VENV)/bin/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'lexfield needs Python 3.11 or newer; name one with: make PYTHON=python3.12')"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e '.[all,dev]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(PIP) -e '.[bench]'
	touch $@

clean:
	rm -rf $(VENV) demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
