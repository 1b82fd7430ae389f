# What a person or CI types. Everything is made in build/ (and in the data directory that a command
# names); each target first installs the packages it needs that this machine lacks.
.DEFAULT_GOAL := help
.PHONY: help deps demo test lint lint-format lint-tidy bench fuzz conformance install clean release dev

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
JOBS ?= $(shell nproc)
CTEST_ARGS ?=

help:  ## what can be made
	@echo "make TARGET, where TARGET is one of"
	@grep -E '^[a-z-]+:.*  ## ' Makefile | sed 's/:.*  ## /\t/' | expand -t 14 | sed 's/^/  /'

deps:  ## install every package that building, testing and linting need (apt; sudo when not root)
	@cmake/deps.sh all

release:
	@cmake/deps.sh build
	@cmake --preset release -DNPUPROF_TESTS=OFF -DNPUPROF_BENCH=OFF --log-level=WARNING >/dev/null
	@cmake --build build/release --target npuprof -j $(JOBS)

dev:
	@cmake/deps.sh test
	@cmake --preset dev >/dev/null
	@cmake --build build/dev -j $(JOBS)

demo: release  ## build npuprof and profile a model on a simulated Ascend host
	@build/release/bin/npuprof demo --directory build/demo

test: dev  ## build and run every test
	@ctest --preset dev -j $(JOBS) $(CTEST_ARGS) -O build/dev/ctest.log; status=$$?; tests/list_skips.sh build/dev; exit $$status

lint: lint-format lint-tidy  ## clang-format and clang-tidy over the whole tree

lint-format:
	@cmake/deps.sh lint
	@git ls-files -z '*.cpp' '*.hpp' | xargs -0 clang-format-14 --dry-run -Werror

lint-tidy:
	@cmake/deps.sh lint
	@cmake --preset lint >/dev/null
	@cmake/tidy.sh build/lint $(JOBS)

bench:  ## build and run the benchmarks
	@cmake/deps.sh bench
	@cmake --preset release -DNPUPROF_TESTS=OFF -DNPUPROF_BENCH=ON >/dev/null
	@cmake --build build/release -j $(JOBS)
	@tests/bench/run.sh build/release

fuzz:  ## build the fuzz targets and run each for SECONDS (default 60)
	@cmake/deps.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz --target fuzz_targets -j $(JOBS)
	@tests/fuzz/run.sh build/fuzz $(SECONDS)

conformance: dev  ## run the official protocol suite against the server
	@tests/conformance/run.sh build/dev

install: release  ## install npuprof (PREFIX, default /usr/local; DESTDIR)
	@cmake --install build/release --prefix "$(PREFIX)" --strip

clean:  ## remove the build folder
	@rm -rf build
