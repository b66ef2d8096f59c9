#!/usr/bin/env bash
# fanout.sh [--watchers W] [--puts N] [--rate PUTS_PER_SECOND] [--rounds N] [--target etcd|brain]
# Measures the leader's cost of a watch event in a cluster of three, all watchers on the leader, on two members, and
# on all three. W watchers (default 600) like those of kube-apiserver watch one prefix, so each of N puts (default 3000
# of 600 B, 150/s) is W events. Prints CPU time (user and system) per event of the leader and of all members, with and
# without the cost of the same puts without watchers, and the latency of the puts; medians of the rounds (default 3,
# after one warm-up round), six minutes in total. Exits with 1 unless every watcher receives every event once and in
# order. Requires test/peers/build.sh etcd, or pd and unistore.
# BRAIN_COMMAND: command that starts Brain (default: ./brain); BRAIN_FLAGS: additional flags.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.fanout.Fanout "$@"
