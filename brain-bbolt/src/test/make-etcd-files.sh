#!/usr/bin/env bash
# make-etcd-files.sh: writes the snapshots of etcd 3.4 to 3.7 in src/test/resources, which EtcdFileFuzzTest damages:
# keys in leaf and branch pages, a value of several pages, small buckets inside of their parent, free pages.
# Requires test/peers/build.sh etcd older-etcd.
set -euo pipefail
cd "$(dirname "$0")"
programs=${PEERS_BIN:-$HOME/.cache/brain-peers/bin}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
export ETCDCTL_ENDPOINTS=http://127.0.0.1:24379
ctl() { "$programs/etcdctl" "$@" >/dev/null 2>"$work/ctl.log" || { cat "$work/ctl.log" >&2; return 1; }; }

mkdir -p resources
for version in 3.4 3.5 3.6 3.7; do
  program=$programs/etcd-$version
  [ "$version" != 3.7 ] || program=$programs/etcd
  "$program" --data-dir "$work/$version" --listen-client-urls "$ETCDCTL_ENDPOINTS" \
    --advertise-client-urls "$ETCDCTL_ENDPOINTS" --listen-peer-urls http://127.0.0.1:24380 >"$work/log" 2>&1 &
  pid=$!
  until ctl endpoint health 2>/dev/null; do sleep 0.1; done
  for i in $(seq 40); do # transactions of 20 puts, with blank lines between compares, success and failure
    printf '\n%s\n\n\n' "$(for j in $(seq 20); do echo "put key$j-$((i % 10)) $(printf 'v%.0s' $(seq $((i * 3))))"; done)" | ctl txn
  done
  ctl put large "$(printf 'x%.0s' $(seq 20000))"
  lease=$("$programs/etcdctl" lease grant 100000 | cut -d ' ' -f 2)
  ctl put --lease="$lease" leased value
  ctl put empty ""
  ctl user add root:password
  ctl role add reader
  ctl del --prefix key1
  ctl compaction 15
  sleep 1
  ctl snapshot save "$work/$version.db"
  kill "$pid"
  wait "$pid" || true
  pid=
  gzip -9nc "$work/$version.db" >"resources/etcd-$version.db.gz"
done
ls -l resources
