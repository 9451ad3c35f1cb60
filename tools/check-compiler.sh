#!/bin/sh
# Succeeds if the compiler behind mpich's wrapper understands C++20; else says how to get one that does.
set -u
compiler=${MPICH_CXX:-c++}
remedy="install one and name it, for example: apt install g++ && make MPICH_CXX=g++"
if ! command -v "$compiler" >/dev/null; then
  echo "make: no C++ compiler '$compiler' on PATH; $remedy" >&2
  exit 1
fi
if ! printf '#include <concepts>\n#include <span>\nint main() {}\n' |
  "$compiler" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
  echo "make: $compiler ($("$compiler" -dumpversion)) does not compile C++20;" \
    "GCC 11, Clang 14 or newer do; $remedy" >&2
  exit 1
fi
