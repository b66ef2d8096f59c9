#!/usr/bin/env bash
# auth.sh [ARGS...]: compares the cost of put, get and watch with authentication off (brain) and on (auth), interleaved
# in one run. Starts two servers on free loopback ports and stops them. The user that calls has one role, with one
# permission for all keys. ARGS are those of brain-bench.sh (default: --shapes put,get,watch ... below).
# Requires test/peers/build.sh etcd (for etcdctl); meaningful results require an idle machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
BIN=${PEERS_BIN:-$HOME/.cache/brain-peers/bin}
work=$(mktemp -d "${BRAIN_BENCH_DATA:-${TMPDIR:-/tmp}}/brain-auth-XXXXXX")
pid=
stop() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
"$root/brain" --version >/dev/null # builds it
"$root/brain" --data-dir "$work/data" --listen-client-urls "$url" --advertise-client-urls "$url" >"$work/log" 2>&1 &
pid=$!
for _ in $(seq 300); do
  curl -fsS -m 1 "$url/health" >/dev/null 2>&1 && break
  sleep 0.1
done

ctl() { "$BIN/etcdctl" --endpoints "$url" "$@" >/dev/null; }
password=$(head -c 12 /dev/urandom | base64)
ctl user add "root:$password"
ctl user grant-role root root
ctl user add "bench:$password"
ctl role add bench
ctl role grant-permission bench readwrite '' --from-key
ctl user grant-role bench bench
ctl auth enable
token=$(curl -fsS "$url/v3/auth/authenticate" -d "{\"name\": \"bench\", \"password\": \"$password\"}" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["token"])')

[ $# -gt 0 ] || set -- --shapes put,get,watch --clients 1,64 --watchers 10 --seconds 3 --rounds 7 --compact no
"$root/test/bench/brain-bench.sh" --etcd no --server "auth=$pid@127.0.0.1:$port,$token" "$@"
