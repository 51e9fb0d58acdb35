# Everything a newcomer needs: `make demo` and `make test` do their own set-up.
PYTHON ?= python3
CXX ?= g++
VENV := .venv
BIN := $(VENV)/bin
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(wildcard native/*/*)

.PHONY: demo test lint format clean
.DEFAULT_GOAL := help

.PHONY: help
help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "markhood needs Python 3.11 or newer: set PYTHON=python3.12, say."; exit 1; }
	@command -v $(CXX) >/dev/null || { echo "markhood needs a C++ compiler: install one (Debian: apt install g++, macOS: xcode-select --install)."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

# The tools of the build stay in the environment, so that a second build is incremental.
$(VENV)/.installed: $(VENV)/.created $(BUILD_INPUTS)
	$(BIN)/python -m pip install --quiet --group build --group test --group lint
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

demo: $(VENV)/.installed  ## learn the pixel network of handwritten digits
	@mkdir -p build
	$(BIN)/markhood demo --output build/digits.graphml

test: $(VENV)/.installed  ## run the tests, and the examples in docstrings
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile
	$(BIN)/python -m pytest --quiet --numprocesses=auto --doctest-modules --doctest-ignore-import-errors src

lint: $(VENV)/.installed  ## lint, formatting, types, import direction and wording
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/extensions/wording.py

format: $(VENV)/.installed  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

.PHONY: docs test-docs
docs: $(VENV)/.docs  ## build the documentation into build/docs/html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -d build/docs/doctrees docs build/docs/html
	@echo "Open build/docs/html/index.html"

.PHONY: tutorials
tutorials: $(VENV)/.docs  ## write the notebooks of the tutorials into build/notebooks, and redraw their figures
	$(BIN)/python docs/extensions/tutorials.py

.PHONY: readme
readme: $(VENV)/.installed  ## write what the demo prints into README.md
	$(BIN)/python docs/extensions/readme.py

test-docs: $(VENV)/.docs  ## run the code of docstrings, of the documentation and of the examples
	$(BIN)/python -m pytest --quiet --doctest-modules --doctest-ignore-import-errors src
	$(BIN)/python -m pytest --quiet docs

# What needs environments of its own is in noxfile.py.
$(BIN)/nox: $(VENV)/.created
	$(BIN)/python -m pip install --quiet --group environments
	@touch $@

.PHONY: wheel sdist test-pythons test-processors warnings sanitize bench
wheel: $(BIN)/nox  ## build a wheel into dist/ and test it without the sources
	$(BIN)/nox --session wheel

sdist: $(BIN)/nox  ## build the source distribution into dist/ and install it without a network
	$(BIN)/nox --session sdist

test-pythons: $(BIN)/nox  ## run the tests on every installed Python from 3.11
	$(BIN)/nox --session tests

test-processors: $(BIN)/nox  ## run the tests of the kernels as arm64 and as s390x (needs QEMU and debootstrap)
	$(BIN)/nox --session processors

warnings: $(BIN)/nox  ## compile the native code with every installed compiler; warnings are errors
	$(BIN)/nox --session warnings

sanitize: $(BIN)/nox  ## run the tests of the kernels under ASan and UBSan
	$(BIN)/nox --session sanitize

# The report's page is shipped built; only a change of web/ needs Node.
.PHONY: web test-browser
web:  ## build the report's script from web/ (needs Node)
	@command -v npm >/dev/null || { echo "make web needs Node: install it (Debian: apt install nodejs npm)."; exit 1; }
	npm --prefix web ci --no-audit --no-fund
	cd web && npm run --silent build

.PHONY: check-web
check-web: web  ## check that the report's script is what web/ builds
	@git diff --quiet -- src/markhood/output/report || { echo "src/markhood/output/report is not what web/ builds: run make web and commit what it makes."; git diff --stat -- src/markhood/output/report; exit 1; }

CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
test-browser: $(VENV)/.installed  ## run the tests of the report and the app in Chromium
	@test -n "$(CHROMIUM)" || { echo "make test-browser needs Chromium: install it (Debian: apt install chromium), or set CHROMIUM=path."; exit 1; }
	$(BIN)/python -m pip install --quiet --group browser
	CHROMIUM="$(CHROMIUM)" $(BIN)/python -m pytest tests/browser

# R writes what it builds and checks into the current folder. Its exit code ignores warnings.
.PHONY: test-r
test-r: $(VENV)/.installed  ## build and check the R package in r/ (needs R)
	@command -v R >/dev/null || { echo "make test-r needs R: install it (Debian: see .ci/run)."; exit 1; }
	@rm -rf build/r && mkdir -p build/r
	cd build/r && export PATH="$(CURDIR)/$(BIN):$$PATH" RETICULATE_PYTHON="$(CURDIR)/$(BIN)/python" _R_CHECK_FORCE_SUGGESTS_=false \
	  && R CMD build ../../r && R CMD check --no-manual markhood_*.tar.gz
	@! grep "^Status:.*WARNING" build/r/markhood.Rcheck/00check.log
	cd build/r && sed -n '/^```r$$/,/^```$$/p' ../../docs/how-to/r.md | grep -v '^```' > page.R \
	  && PATH="$(CURDIR)/$(BIN):$$PATH" R_LIBS=markhood.Rcheck Rscript page.R >page.log 2>&1 || { cat page.log; exit 1; }

.PHONY: test-clusters
test-clusters: $(VENV)/.installed  ## run the tests of Dask and Ray on clusters of two processes
	$(BIN)/python -m pip install --quiet --group clusters
	$(BIN)/python -m pytest tests/clusters

# What fails is kept in build/fuzz; tests/fuzz/campaign.py and search.py say how to look at it.
FUZZ_INPUTS ?= 25000
FUZZ_SEED ?= 0
FUZZ_SECONDS ?= 120
FUZZ_TARGETS ?= csv npy npz parquet arrow fasta a3m sto vcf encode written
.PHONY: fuzz fuzz-native
fuzz: $(VENV)/.installed  ## FUZZ_INPUTS hostile command lines, and FUZZ_SECONDS of malformed data a kind
	$(BIN)/python tests/fuzz/campaign.py --inputs $(FUZZ_INPUTS) --seed $(FUZZ_SEED)
	$(BIN)/python -m pip install --quiet --group fuzz
	$(BIN)/python -m pytest --quiet -m fuzz --hypothesis-profile=fuzz tests/fuzz tests/output/pictures
	@mkdir -p build/fuzz
	for target in $(FUZZ_TARGETS); do \
	  $(BIN)/python tests/fuzz/search.py $$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
	    -rss_limit_mb=4096 -verbosity=0 -artifact_prefix=build/fuzz/$$target- || exit 1; \
	done

fuzz-native:  ## FUZZ_SECONDS of libFuzzer with ASan and UBSan on the native kernels (needs Clang)
	@command -v clang++ >/dev/null || { echo "make fuzz-native needs Clang: install it (Debian: apt install clang)."; exit 1; }
	tests/fuzz/native.sh $(FUZZ_SECONDS)

bench: $(VENV)/.installed  ## measure speed and memory against their targets
	$(BIN)/python benchmarks/run.py

# Other tools are measured where they are installed, and only installed where that is asked for.
.PHONY: peers peers-install
peers: $(VENV)/.installed  ## run other tools on the same data; missing ones are listed
	$(BIN)/python benchmarks/peers/run.py $(ARGS)

peers-install: $(VENV)/.installed  ## install those of the other tools that are on PyPI
	$(BIN)/python -m pip install --quiet --group peers

clean:  ## remove what was built
	rm -rf $(VENV) build dist .nox docs/generated docs/gallery
