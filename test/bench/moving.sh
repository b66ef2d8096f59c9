#!/usr/bin/env bash
# moving.sh [MIB [VALUE_BYTES]]: measures how fast data comes in and goes out. Writes a database of etcd with MIB of
# changes (default 1024) in values of VALUE_BYTES (default 1024), half of them of keys that are replaced, then moves it:
# etcdutl snapshot restore; brain import, export, backup, restore; etcdctl snapshot save from a server of each; and
# etcdctl make-mirror, which copies only the newest values, from etcd to Brain. Prints a line for each: seconds, MB/s of
# changes, changes/s, CPU seconds, peak memory in MiB (of make-mirror and snapshot save: of the client alone). Commands
# of Brain have a heap of 256 MiB. Requires etcd, etcdctl and etcdutl in the PATH or in BRAIN_PEERS, and six times MIB of
# disk. Rates require an idle machine; CPU and memory do not.
set -euo pipefail
cd "$(dirname "$0")/../.."
mib=${1:-1024}
value=${2:-1024}
PATH=${BRAIN_PEERS:-$HOME/.cache/brain-peers/bin}:$PATH
./brain --version >/dev/null # builds it, and gathers the libraries
./mvnw -q -ntp -pl brain-transfer -am test-compile
work=$(mktemp -d -p "${BRAIN_BENCH_DATA:-${TMPDIR:-/tmp}}")
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
export BRAIN_JAVA_OPTS=-Xmx256m

changes=0
measure() { # NAME COMMAND...
  local name=$1
  shift
  if ! /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/log" 2>&1; then
    tail -3 "$work/log"
    exit 1
  fi
  awk -v name="$name" -v mib="$mib" -v changes="$changes" '{
    printf "%-34s %7.1f s %7.1f MB/s %8d changes/s %7.1f s CPU %6d MiB\n",
      name, $1, mib * 1.048576 / $1, changes / $1, $2 + $3, $4 / 1024 }' <(tail -1 "$work/time")
}

served() { # URL: waits until a server answers
  for _ in $(seq 300); do
    etcdctl --endpoints "$1" get x >/dev/null 2>&1 && return
    sleep 0.2
  done
  exit 1
}

count() { # URL: number of keys
  etcdctl --endpoints "$1" get '' --from-key --count-only -w fields | sed -n 's/^"Count" : //p'
}

java -cp "brain-transfer/target/test-classes:brain-server/target/lib/*" io.brain.transfer.bench.DatabaseProgram \
  "$work/etcd.db" "$mib" "$value" 7 | tee "$work/made"
changes=$(sed -n 's/.*changes \([0-9]*\).*/\1/p' "$work/made")
measure "etcdutl snapshot restore" etcdutl snapshot restore "$work/etcd.db" --skip-hash-check --data-dir "$work/etcd"
measure "brain import" ./brain import "$work/etcd.db" --skip-hash-check --data-dir "$work/brain"
measure "brain export" ./brain export "$work/exported.db" --data-dir "$work/brain"
rm "$work/etcd.db" "$work/exported.db"

etcd --data-dir "$work/etcd" --listen-client-urls http://127.0.0.1:23791 --advertise-client-urls http://127.0.0.1:23791 \
  --listen-peer-urls http://127.0.0.1:23792 --quota-backend-bytes $((64 << 30)) >"$work/etcd.log" 2>&1 &
pids+=($!)
./brain --data-dir "$work/brain" --listen-client-urls http://127.0.0.1:23793 \
  --advertise-client-urls http://127.0.0.1:23793 --quota-backend-bytes $((64 << 30)) >"$work/brain.log" 2>&1 &
pids+=($!)
served http://127.0.0.1:23791
served http://127.0.0.1:23793
measure "etcdctl snapshot save, etcd" etcdctl --endpoints http://127.0.0.1:23791 snapshot save "$work/saved.db"
rm "$work/saved.db"
measure "etcdctl snapshot save, brain" \
  etcdctl --endpoints http://127.0.0.1:23793 --command-timeout=1h snapshot save "$work/saved.db"
rm "$work/saved.db"
measure "brain backup" ./brain backup "$work/backup" --endpoints http://127.0.0.1:23793
kill "${pids[1]}"
wait "${pids[1]}" || true
rm -rf "$work/brain"
measure "brain restore" ./brain restore "$work/backup" --data-dir "$work/restored" --exact-revisions
rm -rf "$work/backup" "$work/restored"
./brain --data-dir "$work/mirror" --listen-client-urls http://127.0.0.1:23793 \
  --advertise-client-urls http://127.0.0.1:23793 --quota-backend-bytes $((64 << 30)) >"$work/brain.log" 2>&1 &
pids[1]=$!
served http://127.0.0.1:23793
# It goes on watching; its first figure is printed when the copy ends, every 30 s.
keys=$(count http://127.0.0.1:23791)
begin=$SECONDS
etcdctl --endpoints http://127.0.0.1:23791 make-mirror http://127.0.0.1:23793 >"$work/log" 2>&1 &
pids+=($!)
until [ "$(count http://127.0.0.1:23793)" = "$keys" ] || [ $((SECONDS - begin)) -gt 1800 ]; do
  sleep 1
done
echo "etcdctl make-mirror, newest values     $((SECONDS - begin)) s for $keys keys (ends after 1800 s)"
