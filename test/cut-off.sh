#!/usr/bin/env bash
# cut-off.sh [--cut leader,follower] [--target etcd,brain]
# Measures what clients of a member see that is cut off from the other two members and from the store. Opens watches
# and keep-alives on it, with and without hasleader, cuts the member off, and makes calls at once and when it has no
# leader. Prints a table for etcd and Brain: calls, durations (streams: since the cut) and results. About 45 s per
# case. Requires test/peers/build.sh etcd, pd and unistore.
# BRAIN_COMMAND: command that starts Brain (default: ./brain); BRAIN_FLAGS: additional flags.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx400m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.members.CutOff "$@"
