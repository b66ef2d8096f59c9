#!/usr/bin/env bash
# followers.sh [--bursts N] [--rounds N] [--target etcd|brain]
# How soon do followers show what the leader has committed? On a cluster of three: N bursts (default 5) of 24
# parallel puts of 100 KiB through the leader, each followed by 2 s of silence; then how many revisions each
# follower is behind, and how long a linearizable get takes there. Then N rounds of failover (default 50, about
# 8 s each): kill -9 of the leader, one write, and the time until each follower shows it; the killed member is
# measured after its start. Ends with 1 if a follower was behind or took longer than a second. Default target:
# brain; BRAIN_COMMAND says how to start it (default: ./brain), BRAIN_FLAGS what flags to add. Needs
# test/peers/build.sh etcd, or pd and unistore.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.followers.Followers "$@"
