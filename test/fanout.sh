#!/usr/bin/env bash
# fanout.sh [--watchers W] [--puts N] [--rate PUTS_PER_SECOND] [--rounds N] [--target etcd|brain]
# What does a watch event cost the leader of three nodes, when all watchers are on it, on two nodes, on all three? W
# watchers as kube-apiserver opens them (default 600), all of one prefix, so each of N puts (default 3000, of 600 B,
# 150/s) is W events. Prints CPU time (user and system) of the leader and of all servers per event, with and without
# what the same puts cost when nobody watches, and how long the puts took; medians of the rounds (default 3, and one
# before to warm up), each with all forms, six minutes in all. Ends with 1 if a watcher was not sent
# every event once and in order. BRAIN_COMMAND says how to start Brain (default: ./brain), BRAIN_FLAGS what flags to
# add. Needs test/peers/build.sh etcd, or pd and unistore.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.fanout.Fanout "$@"
