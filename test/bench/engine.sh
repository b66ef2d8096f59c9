#!/usr/bin/env bash
# engine.sh [-r ROUNDS] [-w WRITES] [VARIANT...]: measures RocksDB with settings other than the store's, with data in
# Brain's format (docs/storage-format.md): creates, updates and deletes in synced batches, and the compaction of their
# history. VARIANT is a list of changes, such as "settings=own" (none), "deletions=0" or "level01=none block=8"; see
# EngineVariant.java. Each variant gets a new store and process, alternately, ROUNDS times (default 1); 400 000 WRITES
# take about 20 s. Prints a line per run: writes/s, CPU, commit latencies (p50/p99/max), delayed and stopped writes,
# write amplification, table bytes relative to the fully compacted size, and CPU of reads. CPU, ratios and sizes are
# comparable; rates require an idle machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=1
writes=400000
while getopts r:w: option; do
  case $option in
    r) rounds=$OPTARG ;;
    w) writes=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- settings=own deletions=0 level01=none bottom=zstd dictionary=16384 block=8 block=32 \
  bloom=0 partitioned=true memtables=4 trigger=2
./brain --version >/dev/null # builds it, and gathers the libraries
./mvnw -q -ntp -pl brain-storage-rocksdb -am test-compile
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
for _ in $(seq "$rounds"); do
  for variant in "$@"; do
    # shellcheck disable=SC2086 # a variant is several words
    java -Xmx192m -XX:+UseSerialGC -cp "brain-storage-rocksdb/target/test-classes:brain-server/target/lib/*" \
      io.brain.storage.rocksdb.EngineProgram "$store/rocksdb" "$writes" $variant
    rm -rf "$store/rocksdb"
  done
done
