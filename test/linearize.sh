#!/usr/bin/env bash
# linearize.sh [--minutes N] [--seed S] [--target etcd|brain] [--round-seconds N] [--clients N] [--think-ms N]
#              [--faults KILL_LEADER,...|none|all] [--bursts LARGE,MANY,ONE|none|all]
#              [--disturbances NOTHING,CUT_OFF,HELD,SLOWED,START|none|all]
# Checks that a cluster of three is linearizable, and that all members return the same data within a second of the last
# write. Rounds (default: 120 s each, for 3 minutes; target brain) of clients and watchers run on a fresh cluster of
# etcd, or of Brain on PD and a store with TiKV's protocol. Per round, chosen by the seed: a fault (processes killed,
# stalled or restarted, leaders moved, links cut, held or slowed, a second process with the same member ID started), a
# burst of writes during which a follower may be disturbed, and a silence in which every member is checked. The store is
# compacted close to the latest revision throughout. Finally the whole history is checked. Prints a line per round and a
# summary; exits with 1 on a violation. Histories are kept in test/conformance/target/linear. Requires
# test/peers/build.sh etcd, or pd and unistore.
# BRAIN_COMMAND: command that starts Brain (default: ./brain); BRAIN_FLAGS: additional flags.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx1200m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" \
  io.brain.conformance.linear.load.Linearize --out test/conformance/target/linear "$@"
