#!/usr/bin/env bash
# linearize.sh [--minutes N] [--seed S] [--target etcd|brain] [--round-seconds N] [--clients N] [--think-ms N]
#              [--faults KILL_LEADER,...|none|all]
# Is a cluster of three linearizable? Rounds (default: of 120 s, for 3 minutes; target brain) of clients and
# watchers on a fresh cluster, of a real etcd or of Brain over PD and a store of TiKV's protocol, while its
# processes are killed, stalled, restarted and moved from, and its links cut, held and slowed, by the seed.
# Then the whole history is checked. Prints a line for each round and a summary; ends with 1 if there was a
# violation. Histories are kept in test/conformance/target/linear. BRAIN_COMMAND says how to start Brain
# (default: ./brain), BRAIN_FLAGS what flags to add. Needs test/peers/build.sh etcd, or pd and unistore.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx1200m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" \
  io.brain.conformance.linear.load.Linearize --out test/conformance/target/linear "$@"
