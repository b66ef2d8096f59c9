#!/usr/bin/env bash
# failover.sh [--rounds N] [--watchers W] [--target etcd|brain] [--kinds SIGTERM,MOVE_LEADER,KILL,SIGSTOP]
# Measures how long a cluster of three is unavailable when its leader stops: N rounds (default 50) per kind: hand-over
# by SIGTERM and by MoveLeader, kill, and stall. Prints the time between the last success and the next success of two
# retrying clients (one on the leader, one on a follower), how many of their puts failed, and the effect on W watchers
# (default 1000) like those of kube-apiserver; exits with 1 if a watcher must list again. Default target: brain. About
# 15 s for a round of all kinds. Requires test/peers/build.sh etcd, or pd and unistore.
# BRAIN_COMMAND: command that starts Brain (default: ./brain); BRAIN_FLAGS: additional flags.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.failover.Failover "$@"
