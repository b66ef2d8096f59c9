#!/usr/bin/env bash
# jmh.sh [WORDS...]: benchmarks of inner parts with JMH, and what they allocate; WORDS go to JMH, such as a
# pattern of names ("Codec", "Node.*put") or -l for the list. Some two minutes.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
(cd "$root" && ./mvnw -q -B -ntp -pl test/jmh -am -Dmaven.test.skip=true package >&2)
exec java -cp "$root/test/jmh/target/classes:$root/test/jmh/target/lib/*" org.openjdk.jmh.Main -prof gc "$@"
