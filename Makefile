# `make demo` shows Osler at work, `make test` checks everything. Both need only git, make and Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Where it is set, every process of the tests would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint types pytest docs coverage clean constraints transcripts ram-model perlt-model

demo: $(VENV)/.installed
	@rm -f runs/demo.osler*
	@rm -f runs/demo.html
	@$(BIN)/osler simulate --language en --memory none --memory raw --memory tim --workers 2 --quiet --out demo
	@$(BIN)/osler show demo pneumonia-en --memory raw
	@$(BIN)/osler compare demo
	@$(BIN)/osler report demo --out runs/demo.html

test: lint types docs pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

pytest: $(VENV)/.installed-dev
	$(BIN)/pytest

# The site, in docs/_build. A link that leads nowhere, a missing page or anchor stops it; no network.
# Read anew each time, since the reference changes with the code and not with its pages.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx --builder html --fresh-env --fail-on-warning --keep-going --quiet docs docs/_build

# Apart from `make test`, since counting lines doubles its time.
coverage: $(VENV)/.installed-dev
	$(BIN)/pytest --cov=osler --cov-report=term:skip-covered

# The stamps make the second call skip the install; they are renewed when the dependencies change.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[report,view]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,docs,local,ray,report,view]'
	@touch $@ $(VENV)/.installed

# After a change to what the rules say that is meant: a test compares with tests/snapshots.
transcripts: $(VENV)/.installed-dev
	$(BIN)/python -m tests.transcripts --renew

# Fits the retrieval without a model anew, from the data in training/ and the thesaurus: a few minutes.
ram-model: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train]'
	$(BIN)/python -m training.ram_model

perlt-model: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train]'
	$(BIN)/python -m training.question_classes

# Names and versions only: an address would tie the project to one mirror.
constraints: $(VENV)/.installed-dev
	$(BIN)/python -m pip freeze --exclude-editable | grep '==' | sort --ignore-case > constraints.txt

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .coverage dist
