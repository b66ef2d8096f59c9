#!/usr/bin/env bash
# brain-bench.sh [--etcd no] [--brain NAME=DIR]... [--server NAME=PID@127.0.0.1:PORT]... [ARGS...]: compares the cost of
# loads on etcd and Brain, interleaved in one run. Starts etcd (unless "--etcd no") and ./brain, or the brain script of
# each DIR (such as another checkout), on free loopback ports with their defaults (synced writes; etcd with a quota of
# 8 GiB), runs brain-bench with ARGS (see "brain-bench.sh --help"), and stops the servers. A --server is already
# running and is not stopped. The first server, etcd if present, is the baseline. A mixed load of 20 s on each server
# (--mixed-warm-up) precedes the rounds; --seed reproduces their order of loads. Lists of keys with many versions, of
# new prefixes, of overlapping ranges, cursors and slow watches:
#   brain-bench.sh --client lean --seconds 3 --shapes versions,overlap,cursor,first-list,watch-slow,keys-only
#   BRAIN_BENCH_DATA   parent of the temporary data directory (default: /tmp)
#   BRAIN_BENCH_HEAP   the client's heap (default 1g)
# Requires test/peers/build.sh etcd; meaningful results require an idle machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
BIN=${PEERS_BIN:-$HOME/.cache/brain-peers/bin}
with_etcd=yes
brains=()
running=()
words=()
while [ $# -gt 0 ]; do
  case $1 in
    --etcd) with_etcd=$2; shift 2 ;;
    --brain) brains+=("$2"); shift 2 ;;
    --server) running+=(--server "$2"); shift 2 ;;
    --help | -h) words=(--help); with_etcd=no; break ;;
    *) words+=("$1"); shift ;;
  esac
done
[ ${#brains[@]} -gt 0 ] || brains=("brain=$root")

jar=$root/brain-bench/target/lib
if [ ! -d "$jar" ] || [ -n "$(find "$root"/pom.xml "$root"/{proto,brain-bench}/{pom.xml,src/main} -newer "$jar" -type f | head -n 1)" ]; then
  echo "brain-bench: building..." >&2
  (cd "$root" && ./mvnw -q -B -ntp -pl brain-bench -am -Dmaven.test.skip=true package >&2)
  touch "$jar"
fi
bench() {
  java -Xmx"${BRAIN_BENCH_HEAP:-1g}" -XX:+UseSerialGC -cp "$root/brain-bench/target/classes:$jar/*" \
    io.brain.bench.BrainBench "$@"
}
if [ "${words[0]:-}" = --help ]; then
  bench --help
  exit
fi

work=$(mktemp -d "${BRAIN_BENCH_DATA:-${TMPDIR:-/tmp}}/brain-bench-XXXXXX")
pids=()
stop() {
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

free_ports() { python3 -c '
import socket
held = [socket.socket() for _ in range(2)]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])'; }

ready() { # NAME PID PORT
  for _ in $(seq 300); do
    curl -fsS -m 1 "http://127.0.0.1:$3/health" >/dev/null 2>&1 && return
    kill -0 "$2" 2>/dev/null || break
    sleep 0.1
  done
  echo "brain-bench: $1 does not serve:" >&2
  tail -n 5 "$work/$1.log" >&2
  exit 1
}

start() { # NAME COMMAND...: a server on a free port
  local name=$1 port peer url flags
  shift
  read -r port peer < <(free_ports)
  url=http://127.0.0.1:$port
  flags=(--name m --data-dir "$work/$name" --listen-client-urls "$url" --advertise-client-urls "$url")
  if [ "$name" = etcd ]; then
    peer=http://127.0.0.1:$peer
    flags+=(--listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "m=$peer"
      --quota-backend-bytes 8589934592)
  fi
  "$@" "${flags[@]}" >"$work/$name.log" 2>&1 &
  pids+=($!)
  ready "$name" $! "$port"
  servers+=(--server "$name=$!@127.0.0.1:$port")
}

servers=()
if [ "$with_etcd" = yes ]; then
  start etcd "$BIN/etcd"
fi
for brain in "${brains[@]}"; do
  "${brain#*=}/brain" --version >/dev/null # builds it
  start "${brain%%=*}" "${brain#*=}/brain"
done
code=0
bench "${servers[@]}" ${running[@]+"${running[@]}"} ${words[@]+"${words[@]}"} || code=$?
exit $code
