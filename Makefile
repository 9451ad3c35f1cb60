SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

venv := .venv
made := $(venv)/made
# CMake must find the wrapper mpicxx_abi of this environment before any other.
export PATH := $(CURDIR)/$(venv)/bin:$(PATH)
# The MPI libraries that the tests install stay inside the checkout.
test-home := $(CURDIR)/build/home

sources := CMakeLists.txt $(shell find src cmake -type f 2>/dev/null)
# An editable install knows the modules that there were: a new one needs another.
modules := $(made)/modules-$(shell find python -name '*.py' | LC_ALL=C sort | cksum | cut -d ' ' -f 1)
tested-presets := abi openmpi asan tsan simgrid

help: ## what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## measure this machine for two minutes at most and write the report
	halocline survey --budget 110s

build: $(made)/installed ## install Halocline into .venv, editable

test: export HALOCLINE_HOME := $(test-home)
test: $(made)/dev $(made)/packages $(made)/mpis ## all tests, C++ and Python
	for preset in $(tested-presets); do
	  cmake --preset $$preset
	  cmake --build --preset $$preset
	done
	for preset in $(tested-presets); do
	  ctest --preset $$preset
	done
	pytest

lint: $(made)/dev ## formats, types, spelling, floors, clang-tidy
	pre-commit run --all-files --show-diff-on-failure
	cmake --preset abi
	# clang-tidy does not ask the wrapper where mpi.h is.
	flags=$$(mpicxx_abi -show | grep -oE -- ' -[DI][^ ]+' | sed 's/^ /-extra-arg=/')
	run-clang-tidy.py -quiet -p build/abi $$flags '/src/halocline/'

docs: build ## write the pages of docs/reference that the programs tell
	python tools/write_reference.py

bench: export HALOCLINE_HOME := $(test-home)
bench: build $(made)/bench-packages $(made)/mpis ## figures of speed and fidelity beside their goals
	cmake --preset release -D HALOCLINE_BENCHMARKS=ON
	cmake --build --preset release --target route-cost redistribution-cost lists-cost overlap-cost
	cmake --preset release -B build/release-openmpi -D HALOCLINE_BENCHMARKS=ON -D CMAKE_CXX_COMPILER=$(test-home)/data/mpi/openmpi/bin/mpicxx
	cmake --build build/release-openmpi --target overlap-cost
	cmake --preset release -B build/release-debian-openmpi -D HALOCLINE_BENCHMARKS=ON -D HALOCLINE_SCALAPACK=ON -D CMAKE_CXX_COMPILER=mpicxx.openmpi
	cmake --build build/release-debian-openmpi --target redistribution-cost
	python -m benchmarks build/{release,release-openmpi,release-debian-openmpi}/benchmarks

clean: ## remove all that make has made
	rm -rf $(venv) build dist .mypy_cache .pytest_cache .ruff_cache

$(made)/venv: tools/find-python.sh tools/check-compiler.sh
	tools/check-compiler.sh
	python=$$(PATH=$${PATH#*:} tools/find-python.sh)  # not the one of an earlier $(venv)
	"$$python" -m venv --clear $(venv)
	mkdir -p $(made)
	touch $@

# Without build isolation the objects of the last build stay usable: their compiler is still there.
install := python -m pip install --quiet --no-build-isolation --config-settings=build-dir=build/editable -e

progress := tools/with-progress.sh

$(modules): $(made)/venv
	rm -f $(made)/modules-*
	touch $@

$(made)/installed: $(made)/venv pyproject.toml $(sources) $(modules)
	python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > $(made)/build-requires
	$(progress) "1 of 2: tools to build with, from PyPI" "" python -m pip install --quiet -r $(made)/build-requires
	$(progress) "2 of 2: Halocline" build/editable $(install) .
	echo "halocline is in $(venv)/bin: source $(venv)/bin/activate"
	touch $@

$(made)/dev: pyproject.toml $(made)/installed
	$(progress) "Halocline with its tests' packages" build/editable $(install) '.[test,dev]'
	touch $@

$(made)/packages: tools/test-packages.sh
	tools/test-packages.sh
	touch $@

$(made)/bench-packages: tools/test-packages.sh
	tools/test-packages.sh bench
	touch $@

$(made)/mpis: $(made)/installed
	halocline mpi add intel
	halocline mpi add openmpi
	touch $@

.PHONY: help demo build test lint docs bench clean
