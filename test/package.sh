#!/usr/bin/env bash
# package.sh [ARCHIVE]: tests the installation of dist/target/brain-*-runtime-*.tar.gz (built if missing) on a machine
# without Java: unpacks it into an empty directory, starts bin/brain with no Java on the PATH and an empty environment,
# puts and gets a key with etcdctl, restarts the server, reads the key, stops the server with SIGTERM. Prints the
# milliseconds from the start to the first response (the first start also creates the class archive), resident memory
# and exit codes; imports, exports, verifies, backs up to an object store and restores; verifies the unit file and the
# manual page if systemd-analyze and man are installed. Requires curl, and test/peers/build.sh etcd versitygw.
# ETCDCTL, VERSITYGW: paths of the programs (default: the built ones).
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "package.sh: $*" >&2; exit 1; }

archive=${1:-$(ls dist/target/brain-*-runtime-*.tar.gz 2>/dev/null | head -n 1 || true)}
if [ -z "$archive" ]; then
  ./mvnw -q -B -ntp -Pruntime -pl dist -am -Dmaven.test.skip=true package
  archive=$(ls dist/target/brain-*-runtime-*.tar.gz)
fi
etcdctl=${ETCDCTL:-$HOME/.cache/brain-peers/bin/etcdctl}
[ -x "$etcdctl" ] || etcdctl=$(command -v etcdctl) || fail "no etcdctl: run test/peers/build.sh etcd"

versitygw=${VERSITYGW:-${PEERS_BIN:-$HOME/.cache/brain-peers/bin}/versitygw}
[ -x "$versitygw" ] || fail "no versitygw: run test/peers/build.sh versitygw"

work=$(mktemp -d)
pid=
s3_pid=
trap 'for p in $pid $s3_pid; do kill -9 "$p" 2>/dev/null || true; done; rm -rf "$work"' EXIT

# The commands that the script brain needs, without java.
mkdir "$work/path"
for tool in sh env dirname readlink sed mv rm chmod wc sync mkdir rmdir find; do ln -s "$(command -v $tool)" "$work/path/$tool"; done

tar -xzf "$archive" -C "$work"
home=$(echo "$work"/brain-*/)
home=${home%/}
echo "archive       $(du -h "$archive" | cut -f 1), unpacked $(du -sh "$home" | cut -f 1), runtime $(du -sh "$home/runtime" | cut -f 1)"
for file in bin/brain conf/jvm.options conf/brain.yaml systemd/brain.service systemd/brain-backup.timer kubernetes/cluster/cluster.yaml monitoring/alerts.yaml man/brain.8 LICENSE README.md; do
  [ -s "$home/$file" ] || fail "$file is not in the archive"
done

brain() { env -i PATH="$work/path" HOME="$work" "$home/bin/brain" "$@"; }

port=$((20000 + RANDOM % 10000))
url=http://127.0.0.1:$port
export ETCDCTL_ENDPOINTS=$url

start() { # prints the time until the server is ready
  local began=${EPOCHREALTIME/./} deadline=$((SECONDS + ${PACKAGE_SECONDS_MAX:-120}))
  env -i PATH="$work/path" HOME="$work" "$home/bin/brain" --data-dir "$work/data" \
    --listen-client-urls "$url" --advertise-client-urls "$url" 2>>"$work/log" &
  pid=$!
  until [ "$(curl -s -o /dev/null -w '%{http_code}' "$url/readyz")" = 200 ]; do
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; fail "the server exited"; }
    [ "$SECONDS" -lt "$deadline" ] || { cat "$work/log" >&2; fail "the server is not ready"; }
    sleep 0.01
  done
  echo "$1 $(((${EPOCHREALTIME/./} - began) / 1000)) ms, processor $(awk '{ print ($14 + $15 + $16 + $17) * 10 }' "/proc/$pid/stat") ms"
}

stop() { # expects exit code 0
  local code=0
  kill -TERM "$pid"
  wait "$pid" || code=$?
  pid=
  echo "SIGTERM       exit code $code"
  [ "$code" = 0 ] || { cat "$work/log" >&2; fail "expected exit code 0"; }
}

start "first start  "
[ -n "$(find "$home" -maxdepth 1 -name 'brain-*.classes' -size +1M)" ] || fail "no class archive"
"$etcdctl" --command-timeout 60s put /package/a "unpacked" | grep -qx OK || fail "put"
stop
start "second start "
[ "$("$etcdctl" --command-timeout 60s get /package/a --print-value-only)" = unpacked ] || fail "get"
sleep "${STARTUP_IDLE:-5}"
echo "resident      $(awk '/^VmRSS/ { rss = $2 } /^RssAnon/ { anon = $2 } END { printf "%d MiB, anonymous %d MiB", rss / 1024, anon / 1024 }' "/proc/$pid/status")"

# Data out and in again, in each way, with the libraries for compression, encryption and S3. No tool may log a warning.
mkdir -p "$work/s3/backups" "$work/tmp"
s3_port=$((port + 1))
ROOT_ACCESS_KEY=backup ROOT_SECRET_KEY=not-a-secret "$versitygw" --quiet --port "127.0.0.1:$s3_port" posix "$work/s3" \
  >"$work/s3.log" 2>&1 &
s3_pid=$!
until curl -s -o /dev/null "http://127.0.0.1:$s3_port"; do
  kill -0 "$s3_pid" 2>/dev/null || { cat "$work/s3.log" >&2; fail "versitygw exited"; }
  sleep 0.1
done
openssl rand -base64 32 >"$work/key"
moved() { # COMMAND ARGUMENT...: prints its result and its time
  local began=${EPOCHREALTIME/./} code=0
  env -i PATH="$work/path" HOME="$work" AWS_ACCESS_KEY_ID=backup AWS_SECRET_ACCESS_KEY=not-a-secret \
    BRAIN_JAVA_OPTS="-Djava.io.tmpdir=$work/tmp" "$home/bin/brain" "$@" >"$work/moved.log" 2>&1 || code=$?
  [ "$code" = 0 ] || { cat "$work/moved.log" >&2; fail "brain $1: exit code $code"; }
  ! grep -iE 'warn|exception|error' "$work/moved.log" || fail "brain $1 has warnings"
  printf '%-13s %s, %d ms\n' "$1" "$(tail -n 1 "$work/moved.log" | cut -c 1-90)" $(((${EPOCHREALTIME/./} - began) / 1000))
}
backups=s3://backups/nightly
s3=(--s3-endpoint "http://127.0.0.1:$s3_port" --s3-region us-east-1 --encryption-key "$work/key")
"$etcdctl" --command-timeout 60s snapshot save "$work/saved.db" >/dev/null 2>&1 || fail "snapshot save"
moved import "$work/saved.db" --data-dir "$work/imported"
moved verify "$work/imported" "$url"
moved export "$work/exported.db" --endpoints "$url"
moved backup "$backups" --endpoints "$url" "${s3[@]}"
"$etcdctl" --command-timeout 60s put /package/b "later" >/dev/null
moved backup "$backups" --endpoints "$url" "${s3[@]}"
grep -q ' increment ' "$work/moved.log" || fail "the second backup is no increment"
moved restore "$backups" --data-dir "$work/restored" --exact-revisions "${s3[@]}"
moved verify "$work/restored" "$url"
moved verify "$backups" "$url" "${s3[@]}"
kill "$s3_pid"
s3_pid=
stop
! grep -v 'took too long' "$work/log" | grep -E '"level":"(warn|error|fatal)"|WARN|Exception' || fail "the log has warnings"
brain check --data-dir "$work/data" >/dev/null || fail "brain check"
code=0
brain ctl status --endpoint http://127.0.0.1:1 2>/dev/null || code=$?
[ "$code" = 3 ] || fail "brain ctl: exit code $code, expected 3 for an unreachable server"

# A damaged class archive is ignored; a truncated one is created again.
classes=$(ls "$home"/brain-*.classes)
size=$(wc -c <"$classes")
chmod u+w "$classes"
head -c "$size" /dev/zero >"$classes"
brain --version | grep -q '^Brain Version' || fail "brain fails with an archive of zeros"
head -c 1000000 /dev/zero >"$classes"
brain --version 2>/dev/null | grep -q '^Brain Version' || fail "brain fails with a truncated archive"
[ "$(wc -c <"$classes")" -gt 1000000 ] || fail "a truncated archive was not replaced"
echo "class archive damaged and truncated: starts"

if command -v systemd-analyze >/dev/null; then
  sed "s#/opt/brain#$home#" "$home/systemd/brain.service" >"$work/brain.service"
  systemd-analyze verify --man=no "$work/brain.service" || fail "systemd-analyze verify"
  echo "unit          verified, $(systemd-analyze security --offline=true --threshold=20 "$work/brain.service" | sed -n 's/.*\(exposure level.*: [0-9.]*\) .*/\1/p')"
fi
if command -v man >/dev/null; then
  [ -z "$(LC_ALL=C.UTF-8 man --warnings -l "$home/man/brain.8" 2>&1 >/dev/null)" ] || fail "man brain.8"
fi
echo ok
