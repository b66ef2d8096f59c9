#!/usr/bin/env bash
# followers.sh [--bursts N] [--rounds N] [--target etcd|brain]
# Measures how soon followers of a cluster of three serve what the leader has committed. N bursts (default 5) of 24
# parallel puts of 100 KiB through the leader, each followed by 2 s of silence: lag of each follower in revisions, and
# latency of a linearizable get. Then N failover rounds (default 50, about 8 s each): kill -9 of the leader, one write,
# and the time until each follower serves it; the killed member is measured after its restart. Exits with 1 if a
# follower lags or takes longer than a second. Default target: brain. Requires test/peers/build.sh etcd, or pd and
# unistore.
# BRAIN_COMMAND: command that starts Brain (default: ./brain); BRAIN_FLAGS: additional flags.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.followers.Followers "$@"
