#!/bin/sh
# Prints the fastest protocol for a message of so many bytes: fastest-protocol.sh BYTES [OPTION of `halocline run`]...
set -eu
bytes=$1
shift
halocline run pingpong "bytes=$bytes" --json "$@" | python3 -c '
import json
import sys

cases = json.load(sys.stdin)["cases"]
times = {
    case["axes"]["protocol"]: case["metrics"][0]["median"]
    for case in cases
    if case["status"] == "measured"
}
if not times:
    sys.exit("nothing was measured: " + cases[0]["reason"])
fastest = min(times, key=times.get)
print(f"{fastest}: {times[fastest] * 1e6:.4g} µs")
'
