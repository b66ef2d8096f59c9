#!/usr/bin/env bash
# overload.sh [ROUNDS [SCENARIO...]]: overloads etcd and Brain (heap 512 MiB) alternately with the same program, with a
# fresh server per scenario, ROUNDS times (default 5); SCENARIO is a substring of a name, such as "lists" or "watchers".
# Meanwhile a healthy client puts and gets, keeps a lease alive and requests /health and /readyz. Prints a table of
# medians [min .. max] of peak resident memory and of the healthy client's latencies, and of failed requests. About six
# minutes per round; a scenario is aborted after 45 to 100 s, and no round starts that would end after
# OVERLOAD_MINUTES_MAX (default 35). Memory of each server is limited to OVERLOAD_MEMORY_MIB (default 8192).
# BRAIN_COMMAND: command that starts Brain (default: ./brain). Requires test/peers/build.sh etcd, and an idle machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
./brain --version >/dev/null # builds it
./mvnw -q -ntp -pl test/conformance -am -DskipTests package
export BRAIN_JAVA_OPTS="${BRAIN_JAVA_OPTS:--Xmx512m}"
exec java -Xmx1g -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -Doverload.memory.mib="${OVERLOAD_MEMORY_MIB:-8192}" \
  -Doverload.minutes.max="${OVERLOAD_MINUTES_MAX:-35}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.overload.Overload "$@"
