#!/bin/sh
# [bench] Sees to the system packages that the tests need, and the benchmarks if asked: installs them where it may, else prints the line that does.
set -u
PATH=$PATH:/usr/sbin:/sbin # daemons
missing=
needs() { # PACKAGES COMMAND
  command -v "$2" >/dev/null || missing="$missing $1"
}
needs ccache ccache
needs chromium chromium
needs "simgrid libsimgrid-dev" smpicxx
needs "mpich libmpich-dev" mpicxx.mpich
needs "openmpi-bin libopenmpi-dev" mpicxx.openmpi
needs gfortran gfortran # behind the wrappers mpifort
needs hpcc hpcc # profiled whole
needs lammps lmp
needs strace strace # has the kernel say that a folder is on NFS
needs dropbear-bin dropbear # a daemon of ssh that nothing starts by itself
needs "slurmctld slurmd slurm-client munge" slurmd
# Only the development package has the name by which Slurm loads the library.
ls /usr/lib/*/libpmix.so >/dev/null 2>&1 || missing="$missing libpmix-dev"
if [ "${1-}" = bench ]; then
  ls /usr/lib/*/libscalapack-openmpi.so >/dev/null 2>&1 || missing="$missing libscalapack-openmpi-dev"
  [ -e /usr/lib/petsc/include/petscksp.h ] || missing="$missing libpetsc-real-dev"
  [ -e /usr/include/fftw3.h ] || missing="$missing libfftw3-dev" # SHTns is built on it
  [ -e /usr/include/boost/mp11.hpp ] || missing="$missing libboost-dev" # GHEX's
  [ -e /usr/include/numa.h ] || missing="$missing libnuma-dev"           # GHEX's
fi
ls /usr/lib/*/libopenblas.so.0 >/dev/null 2>&1 || missing="$missing libopenblas0"
[ -e /usr/include/gtest/gtest.h ] || missing="$missing libgtest-dev"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "make: installing$missing"
  # shellcheck disable=SC2086  # one word a package
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $missing >/dev/null && exit 0
fi
echo "make: the tests need system packages that are not here; run: sudo apt install$missing" >&2
exit 1
