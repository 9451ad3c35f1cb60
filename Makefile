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
# What each change is tried with, and what only repeats it with another compiler or library.
presets := abi openmpi
wide-presets := asan tsan simgrid
# Some tests wait for deadlines: workers beyond the cores fill these times.
workers := 4
pytest := pytest -n $(workers) --dist loadscope --no-loadscope-reorder
# Runs a part, keeps its times and its log, and says in its last line why it failed.
part := python tools/times.py run
# Compiled once is compiled for all builds of the checkout.
export CCACHE_DIR := $(CURDIR)/build/ccache

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build ## measure this machine for at most two minutes and write the report
	halocline survey --budget 110s

build: $(made)/installed ## install Halocline into .venv, editable

setup: export HALOCLINE_HOME := $(test-home)
setup: $(made)/packages $(made)/dev $(made)/mpis ## install what all tests need

check: formats ## formats, types, spelling, floors, and the tests that start nothing: two minutes
	$(part) check -- $(pytest) -m 'not launches and not wide'

test: export HALOCLINE_HOME := $(test-home)
test: setup ## everything that a change can break here, in C++ and Python
	$(call try-presets,$(presets))
	$(part) parallel -- $(pytest) -m 'not wide and (waits or not launches)' --junitxml=build/times/parallel.xml
	$(part) test -- pytest -m 'not wide and launches and not waits' --junitxml=build/times/test.xml

matrix: export HALOCLINE_HOME := $(test-home)
matrix: setup ## the same for more libraries, languages and places, and under sanitizers
	$(call try-presets,$(wide-presets))
	$(part) "matrix parallel" -- $(pytest) -m 'wide and waits' --junitxml=build/times/matrix-parallel.xml
	$(part) matrix -- pytest -m 'wide and not waits' --junitxml=build/times/matrix.xml

define try-presets
	for preset in $(1); do
	  $(part) "configure $$preset" -- cmake --preset $$preset
	  $(part) "build $$preset" -- cmake --build --preset $$preset
	done
	for preset in $(1); do
	  $(part) "ctest $$preset" -- ctest --preset $$preset -j 2
	done
endef

lint: formats tidy ## formats, types, spelling, floors, clang-tidy

formats: $(made)/dev
	$(part) formats -- pre-commit run --all-files --show-diff-on-failure

tidy: $(made)/dev
	cmake --preset lint
	# clang-tidy does not ask the wrapper where mpi.h is; of libstdc++ it sees what that deprecates itself.
	flags=$$(mpicxx_abi -show | grep -oE -- ' -[DI][^ ]+' | sed 's/^ /-extra-arg=/')
	# Its analyzer follows calls within our code, not into libstdc++: a third of the time; and a function's
	# first 75,000 states, as in clang's shallow mode: two thirds of what is left.
	analyzer="-extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=c++-stdlib-inlining=false,max-nodes=75000"
	$(part) clang-tidy -- run-clang-tidy.py -quiet -p build/lint $$flags $$analyzer -extra-arg=-Wno-deprecated-declarations '/src/'

times: ## time of the tests run here, part by part
	python tools/times.py table
	python tools/times.py slowest

judges: export HALOCLINE_HOME := $(test-home)
judges: $(made)/dev ## each finding's criterion, answer here, and answer to noise of 50 %
	cd tests/python && python -m findings.table

draws: export HALOCLINE_HOME := $(test-home)
draws: build $(made)/packages $(made)/mpis ## 10,000 random layouts and halos through every MPI library here
	cmake --preset abi
	cmake --build --preset abi --target random-pairs
	cmake --preset openmpi -B build/openmpi5 -D CMAKE_CXX_COMPILER=$(test-home)/data/mpi/openmpi/bin/mpicxx
	cmake --build build/openmpi5 --target random-pairs
	python tools/draws.py

combinations: export HALOCLINE_HOME := $(test-home)
combinations: build $(made)/packages $(made)/mpis ## every workload over every protocol on every library, 2 to 16 ranks; half an hour; ONLY=WORKLOAD or ONLY=protocol=NAME for one
	halocline mpi adopt mpicxx.mpich --name debian-mpich
	mpis=(--mpi mpich --mpi intel --mpi openmpi --mpi debian-mpich)
	failed=0  # the page shows what does not run
	halocline verify $(ONLY) "$${mpis[@]}" --ranks 2 --ranks 4 --ranks 8 --ranks 16 --json > build/combinations.json || failed=$$?
	python tools/write_combinations.py build/combinations.json
	exit $$failed

docs: build ## generate the pages of docs/reference
	python tools/write_reference.py

ghex := ghex-0.9.0
bench: export HALOCLINE_HOME := $(test-home)
bench: build $(made)/bench-packages $(made)/mpis build/$(ghex) ## speed and fidelity against their goals, in an hour; fails on one that is missed; ONLY="halo survey" for parts
	cmake --preset release -D HALOCLINE_BENCHMARKS=ON -D HALOCLINE_GHEX=$(CURDIR)/build/$(ghex)
	cmake --build --preset release --target route-cost redistribution-cost halo-cost lists-cost overlap-cost \
	  chosen-way-cost shallow-water-cost gyrokinetic-cost
	cmake --preset release -B build/release-openmpi -D HALOCLINE_BENCHMARKS=ON -D CMAKE_CXX_COMPILER=$(test-home)/data/mpi/openmpi/bin/mpicxx
	cmake --build build/release-openmpi --target overlap-cost
	cmake --preset release -B build/release-debian-openmpi -D HALOCLINE_BENCHMARKS=ON -D HALOCLINE_SCALAPACK=ON -D HALOCLINE_PETSC=ON -D HALOCLINE_GHEX=$(CURDIR)/build/$(ghex) -D CMAKE_CXX_COMPILER=mpicxx.openmpi
	cmake --build build/release-debian-openmpi --target redistribution-cost halo-cost barotropic-cost
	python -m benchmarks build/{release,release-openmpi,release-debian-openmpi}/benchmarks $(ONLY)

clean: ## remove everything made by make
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
	mkdir -p $(made)
	touch $@

$(made)/bench-packages: tools/test-packages.sh pyproject.toml $(made)/installed
	tools/test-packages.sh bench
	python -m pip install --quiet 'setuptools>=70.1'  # SHTns comes as source; older ones need wheel
	$(progress) "the libraries that the benchmarks compare with" build/editable $(install) '.[test,bench]'
	touch $@

build/$(ghex): | $(made)/installed
	python -m pip download --quiet --no-deps --no-binary ghex --no-build-isolation --dest build $(subst -,==,$(ghex))
	tar -xzf build/$(ghex).tar.gz -C build

$(made)/mpis: $(made)/installed
	halocline mpi add intel
	halocline mpi add openmpi
	touch $@

.PHONY: help demo build setup check test matrix lint formats tidy times judges draws combinations docs bench clean
