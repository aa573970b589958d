# make demo   sets everything up and runs the main job on the embedded sample
# make test   sets everything up and runs lint, types and all tests
# make fault      damage, crashes, fuzzing, attacks, dying workers: hours of it; writes tests/fault/results
# make bench      measures speed against peers and writes benchmarks/results
# make docs       builds the documentation site into site/
# make audit      known vulnerabilities of the pinned packages (a list, then a service)
# make reproduce  reruns the papers' tables that are not fresh, and writes the report
# make figures    bench and reproduce, and inserts the figures into the pages; continues if interrupted
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation
LOCKED = $(PIP) --require-hashes
unexport PYTHONDONTWRITEBYTECODE # else every program that a test starts compiles all modules again

.PHONY: demo test lint bench fault audit reproduce figures docs clean

demo: $(VENV)/.installed
	$(BIN)/lexfield demo --output demo-output

# A worker per core, each with one BLAS thread: two would wait for each other, at four times the processor time.
test: lint
	@command -v chromium >/dev/null || echo "chromium is not installed: the tests of the page in a browser are skipped"
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

fault: $(VENV)/.installed-bench
	$(LOCKED) -r locks/fault.txt
	nice $(BIN)/python -m tests.fault.run
	$(BIN)/python -m pytest tests/fault/cluster -n 0
	LEXFIELD_EXAMPLES=200 $(BIN)/python -m pytest tests/serve/test_schema.py -n 0

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/run.py

docs: $(VENV)/.installed-dev
	$(BIN)/python scripts/build_site.py

audit: $(VENV)/.installed
	$(PYTHON) -m venv $(VENV)-audit && $(VENV)-audit/bin/pip install --quiet pip-audit safety-db packaging
	$(VENV)-audit/bin/python scripts/audit_pins.py
	$(VENV)-audit/bin/pip-audit -r constraints.txt --no-deps --disable-pip --strict

reproduce: $(VENV)/.installed-bench
	$(BIN)/lexfield reproduce

figures: bench reproduce
	$(BIN)/python scripts/insert_figures.py

$(VENV)/bin/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'lexfield needs Python 3.11 or newer; name one with: make PYTHON=python3.12')"
	$(PYTHON) -m venv $(VENV)

# What builds from source comes first; then nothing is installed whose hash is not in locks/.
$(VENV)/.installed: pyproject.toml locks/build.txt locks/base.txt | $(VENV)/bin/python
	$(LOCKED) -r locks/build.txt
	$(LOCKED) -r locks/base.txt
	$(PIP) -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed locks/dev.txt
	$(LOCKED) -r locks/dev.txt
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev locks/bench.txt
	$(LOCKED) -r locks/bench.txt
	touch $@

clean:
	rm -rf $(VENV) demo-output site .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
