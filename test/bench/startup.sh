#!/usr/bin/env bash
# startup.sh [ROUNDS [COMMAND...]]: measures the start of servers on an empty directory. Starts each COMMAND (one argument,
# such as "env BRAIN_JAVA_OPTS=-Xlog:disable ./brain"; default: ./brain) ROUNDS times (default 10), alternately. Prints
# medians [min .. max] per command: milliseconds from the process start to the response to a first gRPC Range, CPU time
# up to then (less sensitive to other load), resident memory STARTUP_IDLE seconds (default 10) later, and its anonymous
# part, which processes cannot share.
# Requires curl. Each command runs once before the measurement, so that it is built and in the page cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-10}
shift || true
[ $# -gt 0 ] || set -- ./brain
idle=${STARTUP_IDLE:-10}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
printf '\0\0\0\0\3\12\1a' >"$work/range" # RangeRequest{key: "a"}, as gRPC frames it

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

served() { # URL: true if a Range is answered
  [ "$(curl -s --http2-prior-knowledge -H 'content-type: application/grpc' -H 'te: trailers' \
    --data-binary "@$work/range" -o "$work/answer" -w '%{http_code}' "$1/etcdserverpb.KV/Range")" = 200 ] &&
    [ -s "$work/answer" ]
}

memory_mib() { # FIELD of /proc/PID/status
  awk -v name="$1:" '$1 == name { printf "%d\n", $2 / 1024 }' "/proc/$pid/status"
}

once() { # COMMAND FILE: one start; appends its results to FILE
  local port url began ended ticks
  port=$(free_port) url=http://127.0.0.1:$port
  began=${EPOCHREALTIME/./}
  # Word splitting is intended.
  # shellcheck disable=SC2086
  $1 --data-dir "$work/data" --listen-client-urls "$url" --advertise-client-urls "$url" 2>"$work/log" &
  pid=$!
  until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
    sleep 0.005
  done
  until served "$url"; do :; done
  ended=${EPOCHREALTIME/./}
  ticks=$(awk '{ print $14 + $15 + $16 + $17 }' "/proc/$pid/stat")
  sleep "$idle"
  echo "$(((ended - began) / 1000)) $((ticks * 10)) $(memory_mib VmRSS) $(memory_mib RssAnon)" >>"$2"
  kill "$pid"
  wait "$pid"
  pid=
  rm -rf "$work/data"
}

spread() { # FILE COLUMN: median [least .. most]
  cut -d ' ' -f "$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { printf "%d [%d .. %d]", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

for command in "$@"; do idle=0 once "$command" /dev/null; done
for _ in $(seq "$rounds"); do
  n=0
  for command in "$@"; do once "$command" "$work/figures.$((n += 1))"; done
done
n=0
for command in "$@"; do
  file=$work/figures.$((n += 1))
  echo "$command"
  echo "  first answer  $(spread "$file" 1) ms"
  echo "  processor     $(spread "$file" 2) ms"
  echo "  resident idle $(spread "$file" 3) MiB, anonymous $(spread "$file" 4) MiB"
done
