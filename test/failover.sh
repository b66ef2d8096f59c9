#!/usr/bin/env bash
# failover.sh [--rounds N] [--watchers W] [--target etcd|brain] [--kinds SIGTERM,MOVE_LEADER,KILL,SIGSTOP]
# How long is a cluster of three away when its leader goes? N rounds (default 50) of each kind: handed over
# by SIGTERM and by MoveLeader, killed, and stalled. Prints the time from the last success to the next of two
# clients that retry (one on the leader, one on a follower), and what W watchers (default 1000) as
# kube-apiserver opens them noticed: none may have to list again, which is status 1. Default target: brain;
# BRAIN_COMMAND says how to start it (default: ./brain), BRAIN_FLAGS what flags to add. About 15 s for a round
# of all four. Needs test/peers/build.sh etcd, or pd and unistore.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.failover.Failover "$@"
