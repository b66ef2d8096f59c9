#!/usr/bin/env bash
# idle-watches.sh [--target brain|etcd] [--watchers N] [--seconds S] [--compact-every S] [--away S] [--resume REVISIONS]
# Watches N idle prefixes (default 1000) with progress notifications for S seconds (default 300), on a server that takes
# 50 puts/s of another key and is compacted at its newest revision (default every 10 s). Each watcher leaves once a
# minute, and resumes after --away seconds (default 0). --resume is Brain's --watch-resume-below-compaction. Prints how
# often a watcher found its revision compacted. Requires test/peers/build.sh etcd for etcd. BRAIN_COMMAND: command that
# starts Brain (default: ./brain).
set -euo pipefail
cd "$(dirname "$0")/.."
[[ " $* " == *" etcd "* ]] || [ -n "${BRAIN_COMMAND:-}" ] || ./brain --version >/dev/null # builds it
./mvnw -q -B -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx800m -XX:+UseSerialGC -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.resume.IdleWatches "$@"
