#!/usr/bin/env bash
# expiry.sh [--target brain|etcd] [--keys N] [--rate CALLS_PER_SECOND] [--seconds S] [--lease-ttl SECONDS]
# Lets N keys (default 100000) expire together beside a client that puts and gets one key at a fixed rate (default
# 500/s). On Brain they are under a TTL rule of a day that becomes one of a second; on etcd they have leases of 200
# keys, granted together. Prints the client's latencies in the S seconds (default 20) before, during, and in the S
# seconds after the expiry, and the revisions that it took. Exits with 1 unless every key is deleted exactly once.
# Requires test/peers/build.sh etcd for etcd. BRAIN_COMMAND: command that starts Brain (default: ./brain).
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
export BRAIN_JAVA_OPTS=${BRAIN_JAVA_OPTS:-} # the options of a server that runs for long
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.expiry.Expiry "$@"
