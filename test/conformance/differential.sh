#!/usr/bin/env bash
# differential.sh [--histories=N] [--length=N] [--seed=N] [--cases=A,B|none] [--print]
# The long comparison with etcd (test/peers/build.sh etcd): all numbered cases, then generated histories, by default
# 24 000 requests. BRAIN_COMMAND: command that starts Brain (default: ./brain); "etcd" compares etcd with itself.
set -euo pipefail
cd "$(dirname "$0")/../.."
./mvnw -q -ntp -pl test/conformance -am -DskipTests package
exec java -Xmx1g -Dbrain.command="${BRAIN_COMMAND:-}" \
  -cp "test/conformance/target/classes:test/conformance/target/lib/*" io.brain.conformance.Differential "$@"
