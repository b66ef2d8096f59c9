#!/usr/bin/env bash
# against-etcd.sh [ROUNDS]: compares server CPU per operation and throughput of etcd and Brain. Starts both with their
# defaults (synced writes) on free loopback ports, warms them up, and applies the same load alternately, ROUNDS times
# (default 5), with etcd's benchmark tool. Prints medians, and the ratio per round as median [min .. max]. About 30 s
# per round. Requires test/peers/build.sh etcd, and an idle machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${PEERS_BIN:-$HOME/.cache/brain-peers/bin}
rounds=${1:-5}
work=$(mktemp -d)
declare -A pid port endpoint

stop() {
  for server in etcd brain; do
    [ -z "${pid[$server]:-}" ] || kill "${pid[$server]}" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT

free_ports() { python3 -c '
import socket
held = [socket.socket() for _ in range(3)]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])'; }

read -r etcd_port etcd_peer brain_port < <(free_ports)
port=([etcd]=$etcd_port [brain]=$brain_port)
./brain --version >/dev/null # builds it
for server in etcd brain; do
  url=http://127.0.0.1:${port[$server]}
  flags=(--name m --data-dir "$work/$server" --listen-client-urls "$url" --advertise-client-urls "$url")
  if [ "$server" = etcd ]; then
    peer=http://127.0.0.1:$etcd_peer
    "$BIN/etcd" "${flags[@]}" --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
      --initial-cluster "m=$peer" --quota-backend-bytes 8589934592 >"$work/etcd.log" 2>&1 &
  else
    ./brain "${flags[@]}" >"$work/brain.log" 2>&1 &
  fi
  pid[$server]=$!
  endpoint[$server]=127.0.0.1:${port[$server]}
  for _ in $(seq 100); do
    "$BIN/etcdctl" --endpoints "${endpoint[$server]}" endpoint health >/dev/null 2>&1 && break
    sleep 0.2
  done
done

load() { # SERVER ARGS...: runs etcd's benchmark tool
  local server=$1
  shift
  "$BIN/benchmark" --endpoints "${endpoint[$server]}" --precise "$@" 2>/dev/null
}
ticks() { awk '{ print $14 + $15 }' "/proc/${pid[$1]}/stat"; }
peak() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/${pid[$1]}/status"; }

# name, operations counted, and the benchmark tool's arguments; K is the round, for new keys
shapes=(
  "put_256B_100_clients 30000 --clients 100 --conns 10 put --total 30000 --key-size 64 --val-size 256 --key-space-size 100000"
  "put_256B_1_client 1500 --clients 1 --conns 1 put --total 1500 --key-size 64 --val-size 256 --key-space-size 100000"
  "txn_put_1KiB_300_clients 20000 --clients 300 --conns 30 txn-put --total 20000 --key-size 64 --val-size 1024 --key-space-size 100000 --txn-ops 1"
  "get_100_clients 60000 --clients 100 --conns 10 range \$(key) --total 60000"
  "list_500x1KiB_10_clients 2000 --clients 10 --conns 10 range /list/000000 --prefix --total 2000"
  "page_of_500_in_20000 300 --clients 10 --conns 10 range /list/ --prefix --limit 500 --total 300"
  "count_20000_10_clients 300 --clients 10 --conns 10 range /list/ --prefix --count-only --total 300"
  "watch_event_100_watchers 200000 --clients 10 --conns 10 watch --streams 10 --watch-per-stream 10 --watched-key-total 1 --key-size 32 --put-total 2000 --put-rate 100000"
)

fill() { # SERVER: 20 000 objects of 1 KiB under /list/, 500 of them under /list/000000, a key for gets
  python3 - "$work/fill" <<'PY'
import sys
value = "v" * 1024
with open(sys.argv[1], "w") as out:
    for i in range(20000):
        out.write(f'put /list/{i // 500:06d}{i:08d} "{value}"\n')
PY
  local i
  split -l 100 --additional-suffix=.txn "$work/fill" "$work/part-"
  for i in "$work"/part-*.txn; do
    { echo; cat "$i"; echo; echo; } | "$BIN/etcdctl" --endpoints "${endpoint[$1]}" txn >/dev/null
  done
  rm -f "$work"/part-*.txn
  "$BIN/etcdctl" --endpoints "${endpoint[$1]}" put /one "$(printf 'v%.0s' $(seq 1024))" >/dev/null
}

echo "filling both"
for server in etcd brain; do fill "$server"; done
: >"$work/results"
for round in $(seq 0 "$rounds"); do # round 0 warms up
  for shape in "${shapes[@]}"; do
    read -r name count words <<<"$shape"
    words=${words/\\\$(key)/\/one}
    words=${words/\$(key)/\/one}
    order="etcd brain"
    [ $((round % 2)) = 0 ] || order="brain etcd"
    for server in $order; do
      before=$(ticks "$server")
      # shellcheck disable=SC2086 # words
      out=$(load "$server" $words)
      after=$(ticks "$server")
      rate=$(awk '/Requests\/sec/ { last = $NF } END { print last }' <<<"$out")
      p99=$(awk '/99% in/ { last = $3 } END { print last }' <<<"$out")
      [ "$round" = 0 ] || echo "$name $server $round $(awk -v t=$((after - before)) -v n="$count" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.2f", t / hz * 1e6 / n }') ${rate:-0} ${p99:-0}" >>"$work/results"
    done
  done
  echo "round $round of $rounds done"
done

python3 - "$work/results" "$(peak etcd)" "$(peak brain)" <<'PY'
import sys
from collections import defaultdict
from statistics import median
runs = defaultdict(dict)
for line in open(sys.argv[1]):
    name, server, turn, cpu, rate, p99 = line.split()
    runs[name].setdefault(int(turn), {})[server] = (float(cpu), float(rate), float(p99))
def ratio(pairs, i):
    r = sorted(p["brain"][i] / p["etcd"][i] for p in pairs if p["etcd"][i] and p["brain"][i])
    return f"{median(r):.2f} [{r[0]:.2f} .. {r[-1]:.2f}]" if r else "-"
print("| load | CPU µs/op etcd | Brain | ratio | ops/s etcd | Brain | ratio | p99 ms etcd | Brain |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for name, turns in runs.items():
    pairs = list(turns.values())
    mid = lambda server, i: median(p[server][i] for p in pairs)
    print(f"| {name.replace('_', ' ')} | {mid('etcd', 0):.1f} | {mid('brain', 0):.1f} | {ratio(pairs, 0)} "
          f"| {mid('etcd', 1):.0f} | {mid('brain', 1):.0f} | {ratio(pairs, 1)} "
          f"| {1000 * mid('etcd', 2):.1f} | {1000 * mid('brain', 2):.1f} |")
print(f"peak RSS: etcd {sys.argv[2]} MiB, Brain {sys.argv[3]} MiB")
PY
