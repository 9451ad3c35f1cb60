#!/bin/sh
# Prints the newest Python that can make the virtual environment, or says how to get one.
set -u
incomplete=
for name in python3.14 python3.13 python3.12 python3.11 python3; do
  # Run each one: a version manager may have a stub for a version that it cannot start.
  version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.version_info >= (3, 11))' \
    2>/dev/null) || continue
  [ "${version#* }" = True ] || continue
  if "$name" -c 'import ensurepip, venv' 2>/dev/null; then
    command -v "$name"
    exit 0
  fi
  incomplete=${incomplete:-${version% *}}
done
if [ -n "$incomplete" ]; then
  echo "make: Python $incomplete is here but its modules venv and ensurepip are not;" \
    "install them, on Debian and Ubuntu: apt install python$incomplete-venv" >&2
else
  echo "make: no Python of version 3.11 or newer on PATH;" \
    "install one, on Debian and Ubuntu: apt install python3 python3-venv" >&2
fi
exit 1
