#!/usr/bin/env bash
# tikv.sh [-r ROUNDS] [-s SECONDS] [-- FLAGS OF start-tikv.sh...]: compares fenced batches with a transaction per request, on
# brain-storage-tikv only: 1, 64 and 300 clients that write 600 bytes repeatedly; and lists of 500 of these keys, without
# writes and with 64 writing clients: at the timestamp of the latest batch (Brain's read point) from the same and from
# another process, and at a new timestamp. Runs on a fresh PD and store of the test bed on loopback, 10 SECONDS plus a
# third for the warm-up per line, ROUNDS times (default 1). Prints per line: rate, p50, p99, and requests per batch, or
# locks met per list (by the process, including its writers). Rates require an idle machine. Requires
# test/peers/build.sh pd unistore. With "-- --server PATH" on three nodes of a TiKV, which sync and replicate.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=1
seconds=10
while getopts r:s: option; do
  case $option in
    r) rounds=$OPTARG ;;
    s) seconds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
./brain --version >/dev/null # builds it, and gathers the libraries
./mvnw -q -ntp -pl brain-storage-tikv -am test-compile

free() { # PORT: true if the port is free
  ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}
pd=$((20000 + RANDOM % 10000))
until for port in $(seq "$pd" $((pd + 7))); do free "$port" || break; done && free "$port"; do pd=$((pd + 8)); done

bed=$(mktemp -d)
stop() {
  local pid
  for pid in $(cat "$bed"/store*.pid "$bed/pd.pid" 2>/dev/null); do
    kill "$pid" 2>/dev/null || true
    timeout 20 tail --pid="$pid" -f /dev/null || true
  done
  rm -rf "$bed"
}
trap stop EXIT
test/peers/start-tikv.sh "$bed" "$pd" $((pd + 2)) -L warn "$@"
java -Xmx512m -XX:+UseSerialGC -cp "brain-storage-tikv/target/test-classes:brain-server/target/lib/*" \
  io.brain.storage.tikv.GroupCommitProgram "127.0.0.1:$pd" "$seconds" "$rounds"
