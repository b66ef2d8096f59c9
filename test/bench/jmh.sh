#!/usr/bin/env bash
# jmh.sh [ARGS...]: JMH benchmarks of components, with allocation rates; ARGS are JMH's, such as a name pattern
# ("Codec", "Node.*put") or -l for the list. About two minutes.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
(cd "$root" && ./mvnw -q -B -ntp -pl test/jmh -am -Dmaven.test.skip=true package >&2)
exec java -cp "$root/test/jmh/target/classes:$root/test/jmh/target/lib/*" org.openjdk.jmh.Main -prof gc "$@"
