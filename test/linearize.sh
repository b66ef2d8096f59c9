#!/usr/bin/env bash
# linearize.sh [--minutes N] [--seed S] [--target etcd|brain] [--round-seconds N] [--clients N] [--think-ms N]
#              [--faults KILL_LEADER,...|none|all] [--bursts LARGE,MANY,ONE|none|all]
#              [--disturbances NOTHING,CUT_OFF,HELD,SLOWED,START|none|all]
# Is a cluster of three linearizable, and do all nodes answer alike within a second of the last write? Rounds
# (default: of 120 s, for 3 minutes; target brain) of clients and watchers on a fresh cluster, of a real etcd or
# of Brain over PD and a store of TiKV's protocol. By the seed, in turn: a fault (processes are killed, stalled,
# restarted and moved from, links cut, held and slowed, a second process of one member id starts), then a burst
# of writes while a follower may be disturbed, then a silence in which every node is checked. All the time the
# store is compacted close to the newest revision. Then the whole history is checked. Prints a line for each
# round and a summary; ends with 1 if there was a violation. Histories are kept in test/conformance/target/linear.
# BRAIN_COMMAND says how to start Brain (default: ./brain), BRAIN_FLAGS what flags to add. Needs
# test/peers/build.sh etcd, or pd and unistore.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx1200m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" \
  io.brain.conformance.linear.load.Linearize --out test/conformance/target/linear "$@"
