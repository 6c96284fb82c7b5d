# make run       sets everything up and runs the first study; the report is out/median-rto/report.html
# make check     formatters, linters, types and the fast tests: before each commit
# make test      sets everything up and passes every test but the exhaustive ones: before each push, and in CI
# make test-all  the exhaustive ones too: all kernels, all pairs, long property tests
# make durations writes down how long each test takes, on a quiet machine; by it `make check` leaves slow ones out
# make bench     measures the simulator beside ns-2 and ns-3; the table is also in out/bench/bench.json
# make bench-gate counts instructions per event of the engine by callgrind, and fails 0.5 % above the committed figures: for each
#                commit that touches the engine; UPDATE=1 writes the figures anew
# make wasm      builds the engine for browsers and Node, and for the playground: out/wasm/parshall.wasm
# make docs      builds the site, every example run, in out/docs/html, and the playground in it; what has not changed is not run again
# make setup     leaves the command at .venv/bin/parshall, built for release

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Two processes at least: tests of emulated machines and of interrupts mostly wait. What is imported is compiled once, also where
# PYTHONDONTWRITEBYTECODE is set: tests start a few hundred processes, and each would compile NumPy, Arrow and Matplotlib anew.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(shell n=$$(nproc); echo $$((n > 2 ? n : 2))) --dist loadfile --no-loadscope-reorder

.PHONY: run check test test-all durations setup docs bench bench-gate wasm crates dist lint test-rust test-quic test-python linux-tools wireshark lwip clean figures

# Measured data that lies beside the checkout, if any does; studies leave out what they are not given.
BESIDE := $(shell ls -d ../shared/data ../shared/reference/baselines 2>/dev/null | paste -sd:)
REPRODUCE := PARSHALL_DATA="$${PARSHALL_DATA-$(BESIDE)}" $(BIN)/parshall reproduce

run: setup
	$(REPRODUCE) median-rto

check: lint
	cargo test --workspace --exclude parshall-quinn --quiet --lib
	$(PYTEST) -m "not slow and not exhaustive"

test: setup linux-tools wireshark lwip lint test-rust test-python

test-all: setup linux-tools wireshark lwip lint
	@$(MAKE) --no-print-directory wasm || echo "tests of WebAssembly are skipped: it could not be built" >&2
	PARSHALL_EXHAUSTIVE=1 cargo test --workspace --exclude parshall-quinn --quiet
	cargo clippy -p parshall-quinn --all-features --all-targets --quiet -- -D warnings
	@$(MAKE) --no-print-directory test-quic
	$(PYTEST) -m ""

# What the extension is made of; maturin itself decides what has to be compiled again.
SOURCES := $(shell find crates python studies -name '*.rs' -o -name 'Cargo.toml' -o -name '*.py' -o -name '*.toml' -o -name '*.h') \
           Cargo.toml Cargo.lock pyproject.toml

setup: $(VENV)/.built $(VENV)/.beside

# Python is compiled here, too, as installing a wheel does it: where PYTHONDONTWRITEBYTECODE is set, each start of the
# command would take 30 ms more for it.
$(VENV)/.built: $(SOURCES) | $(VENV)/.tools
	. $(BIN)/activate && $(BIN)/maturin develop --uv --release --quiet
	$(BIN)/python -m compileall -q python/parshall studies/parshall_studies
	touch $@

# The studies, and what maintainers need.
$(VENV)/.beside: studies/pyproject.toml dev/pyproject.toml | $(VENV)/.built
	. $(BIN)/activate && $(BIN)/uv pip install --quiet -e studies -e 'dev[quic]'
	touch $@

$(VENV)/.tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "parshall needs Python 3.10 or later, found $$($(PYTHON) --version)"; exit 1; }
	@command -v cargo >/dev/null || { echo "parshall needs Rust (cargo), which was not found"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || bash tools/install-packages python3-venv
	@command -v cc >/dev/null || bash tools/install-packages gcc libc6-dev
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.8,<2' uv
	touch $@

# What an index gets: a wheel for every Linux of the last years, that of the studies, and the sources of both.
dist: setup
	@$(MAKE) --no-print-directory wasm || echo "the wheel has no playground: WebAssembly could not be built" >&2
	. $(BIN)/activate && $(BIN)/uv pip install --quiet build ziglang
	. $(BIN)/activate && $(BIN)/maturin build --release --zig --compatibility manylinux_2_28 --out dist
	$(BIN)/maturin sdist --out dist
	$(BIN)/python -m build --outdir dist studies

# The crates as an index would get them, each built from its package and from the packages that it needs. With
# CARGO_NET_OFFLINE=true no index is asked; `cargo publish --dry-run` asks one in any case.
crates:
	cargo package --allow-dirty --workspace --exclude parshall-python --exclude parshall-fuzz --exclude parshall-wasm

# Options: make bench BENCH='--only P1,P2 --runs 9 --peers ns2'
bench: setup
	$(BIN)/python -m parshall_dev.bench.run $(BENCH)

# Not part of `make test`: the program is built as it is shipped, which takes minutes.
bench-gate: setup
	@command -v valgrind >/dev/null || bash tools/install-packages valgrind || true
	@$(BIN)/python -m parshall_dev.bench.gate $(if $(UPDATE),--update)

# The engine as WebAssembly. The compiler is fetched below target/, 140 MB once.
wasm:
	@bash tools/wasm

lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --exclude parshall-quinn --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m parshall_dev.words
	$(BIN)/python -m parshall_dev.writing

test-rust:
	cargo test --workspace --exclude parshall-quinn --quiet
	@$(MAKE) --no-print-directory test-quic

# Transfers by quinn over the relay, 5 s each by three controls at once. QUIC itself is compiled for this alone.
test-quic:
	cargo test -p parshall-quinn --all-features --quiet

test-python: setup
	$(PYTEST)

# What `make check` takes for slow; also the order of the files.
durations: setup
	PARSHALL_DURATIONS=1 $(PYTEST)

# What tests of the kernel module need. Where it cannot be had they are skipped, each with a line that says why.
LINUX_PACKAGES := qemu-system-x86 busybox-static iproute2 iperf3 siege sparse gcc make libc6-dev libelf-dev dpkg-dev kmod xz-utils

linux-tools:
	@(for tool in qemu-system-x86_64 busybox iperf3 siege sparse tc; do command -v $$tool >/dev/null || exit 1; done) || \
	  bash tools/install-packages $(LINUX_PACKAGES) || true
	@$(MAKE) --no-print-directory -C linux kernels || echo "tests of the kernel module are skipped: no kernels" >&2

# What judges captures. Where it cannot be had its tests are skipped, with a line that says why.
wireshark:
	@command -v tshark >/dev/null || bash tools/install-packages tshark || \
	  echo "tests of captures by Wireshark are skipped: no tshark" >&2

# The TCP that an example in C drives over the engine. Where it cannot be had, or pkg-config cannot, that example is not tested.
lwip:
	@pkg-config --exists lwip 2>/dev/null || bash tools/install-packages liblwip-dev pkgconf || \
	  echo "the example with lwIP is skipped: no liblwip-dev" >&2

clean:
	rm -rf $(VENV) target out

# The site. What Sphinx needs is installed only for this; the crates' own pages stand beside the others.
docs: setup $(VENV)/.docs
	@$(MAKE) --no-print-directory wasm || echo "the site has no playground: WebAssembly could not be built" >&2
	cargo doc --no-deps --quiet $(foreach crate,capture control estimators link net-c quinn scenario sim testkit,-p parshall-$(crate))
	PYTHONPATH=. $(BIN)/sphinx-build -q -W --keep-going -b html -d out/docs/doctrees docs out/docs/html
	@echo "out/docs/html/index.html"

$(VENV)/.docs: dev/pyproject.toml | $(VENV)/.beside
	. $(BIN)/activate && $(BIN)/uv pip install --quiet -e 'dev[docs]'
	touch $@

# Figures of the documentation, from the studies and commands that make them.
figures: setup
	$(REPRODUCE) median-rto
	cp out/median-rto/figures/frontier-4g-fiber-1k.svg out/median-rto/figures/difference-rto-margin.svg docs/figures/
	$(REPRODUCE) fluid
	cp out/fluid/figures/rest-over-load.svg docs/figures/fluid-rest.svg
	cp out/fluid/figures/stability.svg docs/figures/fluid-stability.svg
	$(BIN)/parshall validate theory --out docs
	$(REPRODUCE) tcp-tp
	$(BIN)/python -m parshall_dev.guides.tcp_tp out/tcp-tp
	PYTHONPATH=. $(BIN)/python -m parshall_dev.guides.linux
	$(BIN)/python -m parshall_dev.guides.diffserv
	$(BIN)/python -m parshall_dev.guides.classics
	$(REPRODUCE) responsiveness
	$(BIN)/python -m parshall_dev.guides.responsiveness out/responsiveness
	[ ! -d ../shared/data/rtt ] || $(BIN)/python -m parshall_dev.guides.forecasting ../shared/data/rtt
	[ ! -d ../shared/reference/timeseries ] || \
	  $(BIN)/python -m parshall_dev.guides.long_memory ../shared/reference/timeseries ../shared/data
