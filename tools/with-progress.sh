#!/bin/bash
# with-progress.sh WHAT BUILD COMMAND…: runs the command, and says how far it is: on a terminal in one
# line that is rewritten, else in a line every ten seconds. BUILD is where ninja compiles, or "".
set -u
what=$1 build=$2
shift 2
log=$build/.ninja_log
every_s=${PROGRESS_EVERY_S:-10}
[ -t 2 ] && every_s=1

compiled() {
  local count
  count=$(grep -c '\.o	' "$log" 2>/dev/null)
  echo "${count:-0}"
}

before=0
[ -n "$build" ] && before=$(compiled)
SECONDS=0
far() {
  local text="$what: $((SECONDS / 60)) min $((SECONDS % 60)) s" count all
  if [ -n "$build" ] && count=$(($(compiled) - before)) && [ "$count" -gt 0 ]; then
    all=$(grep -cE '^build .*\.o:' "$build/build.ninja" 2>/dev/null)
    text+=", files compiled: $count"
    # What was compiled before is not compiled again.
    [ "$before" = 0 ] && text+=" of ${all:-?}"
  fi
  if [ -t 2 ]; then printf '\r%s\033[K' "$text" >&2; else echo "$text" >&2; fi
}

[ -t 2 ] || echo "$what …" >&2
"$@" &
command=$!
trap 'kill "$command" 2>/dev/null; wait "$command"; exit 130' INT TERM
(while sleep "$every_s"; do far; done) &
ticker=$!
wait "$command"
code=$?
kill "$ticker" 2>/dev/null
wait "$ticker" 2>/dev/null
far
[ -t 2 ] && echo >&2
exit "$code"
