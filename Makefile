# Two commands do everything on a fresh machine: `make demo` and `make test`. They need Python 3.11+ and make.
# uv is used when present (faster); venv and pip otherwise. Both install exactly what is pinned: requirements.lock is what a
# user needs, requirements-dev.lock also what tests, checks and documents need (Spark, Java, PostgreSQL, …).

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEV    := $(VENV)/.ready-dev

.PHONY: help demo test browser check format bench docs figures schemas reproduce lock clean

help:
	@echo "make demo    run two surveys on embedded people, and write their pages"
	@echo "make test    run every test"
	@echo "make check   lint, format check, strict types"
	@echo "make bench   measured ratios, side by side in one run"
	@echo "make docs    build the documentation site into site/"
	@echo "make figures draw the pictures of the documentation again"
	@echo "make schemas write the JSON Schemas of all files again"
	@echo "make reproduce  the paper's tables and figures again, into docs/reproduction"
	@echo "make format  rewrite the code in the house style"
	@echo "make lock    choose newer dependencies and pin them (needs uv)"
	@echo "make clean   remove the environment and what was built"

demo: $(READY)
	$(BIN)/geopriv demo

test: $(DEV) browser
	$(BIN)/python -m pytest -n auto

# pages are tested in a real browser: CHROMIUM, or one that is here, or Debian's where it may be installed; without one
# these tests are skipped and say so
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable chrome

browser:
	@for name in $(CHROMIUM) $(BROWSERS); do command -v "$$name" >/dev/null 2>&1 && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null && exit 0; \
	fi; \
	echo "No Chromium: tests of pages in a browser are skipped. Install it, or name one in CHROMIUM."

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# what people use instead is installed for the comparison only; without it the rest is measured
RIVALS := opendp==0.16.0 diffprivlib==0.6.6

bench: $(DEV)
	$(call install,$(RIVALS)) || echo "$(RIVALS): not installed, not measured"
	$(BIN)/python bench/speed.py --json bench-speed.json --picture bench-speed.png
	$(BIN)/python bench/run.py
	$(BIN)/geopriv bench accuracy
	$(BIN)/python bench/tables.py
	$(BIN)/python bench/brackets.py
	$(BIN)/python bench/maps.py
	$(BIN)/python bench/intervals.py
	$(BIN)/python bench/predictions.py
	$(BIN)/python bench/values.py
	$(BIN)/python bench/privatize.py
	$(BIN)/python bench/device.py
	$(BIN)/python bench/engines.py --rows 1000000

# warnings are errors; nothing is fetched
docs: $(DEV)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "site/index.html"

figures: $(DEV)
	$(BIN)/python docs/theory/figures.py
	$(BIN)/python docs/choosing.py

schemas: $(DEV)
	$(BIN)/python -m geopriv.commands.schemas docs/schemas

# half an hour; the data are looked for in ../shared/data
reproduce: $(DEV)
	$(BIN)/geopriv reproduce all --full --output docs/reproduction

# $(call install,what): by uv or by pip
define install
	@if command -v uv >/dev/null 2>&1; then uv pip install --quiet --python "$(BIN)/python" $(1); \
	else "$(BIN)/python" -m pip install --quiet --disable-pip-version-check $(1); fi
endef

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "geopriv needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --allow-existing --python "$(PYTHON)" "$(VENV)"; \
	else "$(PYTHON)" -m venv "$(VENV)"; fi
	$(call install,--require-hashes -r requirements.lock)
	$(call install,--no-deps --no-build-isolation -e .)
	@touch "$@"

$(DEV): requirements-dev.lock $(READY)
	$(call install,--require-hashes -r requirements-dev.lock)
	@touch "$@"

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade

lock:
	$(COMPILE) --group build pyproject.toml -o requirements.lock
	$(COMPILE) --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
