#!/usr/bin/env bash
# overload.sh [ROUNDS [SCENARIO...]]: a real etcd and Brain (with a heap of 512 MiB) overloaded in turns by
# the same program, a fresh server for each scenario, ROUNDS times (default 5); SCENARIO is a part of a name,
# such as "lists" or "watchers". A healthy client puts and gets all the while, keeps a lease alive and asks
# for /health and /readyz. It prints one table: medians of the rounds [least .. most] of peak resident memory
# and of the healthy client's latencies, and what was not served. About six minutes a round; each scenario
# is given up after 45 to 100 s, and no round begins that would end after OVERLOAD_MINUTES_MAX (default 35).
# Neither server gets more than OVERLOAD_MEMORY_MIB (default 8192) of memory; BRAIN_COMMAND says how to
# start Brain (default: ./brain). Needs test/peers/build.sh etcd, and an idle machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
./brain --version >/dev/null # builds it
./mvnw -q -ntp -pl test/conformance -am -DskipTests package
export BRAIN_JAVA_OPTS="${BRAIN_JAVA_OPTS:--Xmx512m}"
exec java -Xmx1g -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -Doverload.memory.mib="${OVERLOAD_MEMORY_MIB:-8192}" \
  -Doverload.minutes.max="${OVERLOAD_MINUTES_MAX:-35}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.overload.Overload "$@"
