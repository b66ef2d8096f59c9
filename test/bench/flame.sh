#!/usr/bin/env bash
# flame.sh [--brain DIR] [--shape NAME] [--clients N] [--seconds N] [--out DIR]: profiles CPU time and allocations of a
# load. Starts ./brain (or the brain script of DIR, such as another checkout) on free loopback ports, applies one load
# of brain-bench (default: create, 300 clients; for watch, N is the number of watchers), and profiles it for N seconds
# (default 12) after the warm-up, with async-profiler: CPU time, then allocations. Writes NAME.svg, a flame graph, and
# the stacks of both to DIR (default: a directory in /tmp, printed), and prints the share of each stage and the bytes
# allocated per operation.
# Downloads async-profiler with Maven. Kernel stacks require kernel.perf_event_paranoid of 1 or less.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
VERSION=4.0
brain=$root shape=create clients=300 seconds=12 out=
while [ $# -gt 0 ]; do
  case $1 in
    --brain) brain=$2; shift 2 ;;
    --shape) shape=$2; shift 2 ;;
    --clients) clients=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    *) sed -n '2,9s/^# //p' "$0" >&2; exit 2 ;;
  esac
done

work=$(mktemp -d "${TMPDIR:-/tmp}/brain-flame-XXXXXX")
[ -n "$out" ] || out=$work
mkdir -p "$out"
pid=
stop() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work/data" "$work/profiler" "$work/brain.log" "$work/bench.txt"
  rmdir "$work" 2>/dev/null || echo "flame.sh: what was found is in $work"
}
trap stop EXIT
trap 'exit 130' INT TERM

jar=$work/profiler/async-profiler-$VERSION.jar
"$root/mvnw" -q -B -ntp dependency:copy -Dartifact=tools.profiler:async-profiler:$VERSION \
  -DoutputDirectory="$work/profiler" -f "$root/pom.xml" -N >&2
(cd "$work/profiler" && unzip -qo "$jar")
case $(uname -m) in aarch64) library=linux-arm64 ;; *) library=linux-x64 ;; esac
library=$work/profiler/$library/libasyncProfiler.so

read -r port peer metrics <<<"$(python3 -c '
import socket
held = [socket.socket() for _ in range(3)]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])')"
BRAIN_JAVA_OPTS="-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:+PreserveFramePointer" \
  "$brain/brain" --data-dir "$work/data" --listen-client-urls "http://127.0.0.1:$port" \
  --advertise-client-urls "http://127.0.0.1:$port" --listen-peer-urls "http://127.0.0.1:$peer" \
  --listen-metrics-urls "http://127.0.0.1:$metrics" >"$work/brain.log" 2>&1 &
pid=$!
for _ in $(seq 300); do
  curl -sf "http://127.0.0.1:$metrics/readyz" >/dev/null && break
  kill -0 "$pid" || { cat "$work/brain.log" >&2; exit 1; }
  sleep 0.2
done

profile() { # EVENT OPTIONS SECONDS FILE
  jcmd "$pid" "JVMTI.agent_load $library \"start,event=$1,threads,$2\"" >/dev/null
  sleep "$3"
  jcmd "$pid" "JVMTI.agent_load $library \"stop,file=$4,collapsed,total\"" >/dev/null
}
"$root/test/bench/brain-bench.sh" --help >/dev/null # builds it
java -Xmx1g -XX:+UseSerialGC -cp "$root/brain-bench/target/classes:$root/brain-bench/target/lib/*" \
  io.brain.bench.BrainBench --server "brain=$pid@127.0.0.1:$port" --shapes "$shape" --clients "$clients" --watchers "$clients" \
  --client lean --rounds 1 --mixed-warm-up 1 --warm-round no --warm-up 15 --seconds $((seconds * 2 + 6)) >"$work/bench.txt" 2>&1 &
bench=$!
sleep 20
profile cpu interval=500us "$seconds" "$out/$shape.collapsed"
profile alloc alloc=64k "$seconds" "$out/$shape-alloc.collapsed"
wait "$bench"
grep '^round' "$work/bench.txt"
python3 "$root/test/bench/flame.py" "$out/$shape" "$seconds" "$(grep -o '[0-9]*/s' "$work/bench.txt" | head -1 | tr -d /s)"
