#!/usr/bin/env bash
# cut-off.sh [--cut leader,follower] [--target etcd,brain]
# What do clients of a member see that is cut off from the other two and from the store? Opens watches and
# keep-alives there, with and without hasleader, cuts it off, makes calls at once and when nobody leads there any
# more, and prints a table: each call, how long it took (streams: since the cut) and how it ended, in etcd and in
# Brain. BRAIN_COMMAND says how to start Brain (default: ./brain), BRAIN_FLAGS what flags to add. About 45 s for
# each case. Needs test/peers/build.sh etcd, pd and unistore.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx400m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.members.CutOff "$@"
