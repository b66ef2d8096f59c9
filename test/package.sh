#!/usr/bin/env bash
# package.sh [ARCHIVE]: tests the installation of dist/target/brain-*-runtime-*.tar.gz (built if missing) on a machine
# without Java: unpacks it into an empty directory, starts bin/brain with no Java on the PATH and an empty environment,
# puts and gets a key with etcdctl, restarts the server, reads the key, stops the server with SIGTERM. Prints the
# milliseconds from the start to the first response (the first start also creates the class archive), resident memory
# and exit codes; verifies the unit file and the manual page if systemd-analyze and man are installed.
# ETCDCTL: path of etcdctl (default: the one built by test/peers/build.sh etcd). Requires curl.
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

work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT

# The commands that the script brain needs, without java.
mkdir "$work/path"
for tool in sh env dirname readlink sed mv rm chmod wc sync mkdir rmdir find; do ln -s "$(command -v $tool)" "$work/path/$tool"; done

tar -xzf "$archive" -C "$work"
home=$(echo "$work"/brain-*/)
home=${home%/}
echo "archive       $(du -h "$archive" | cut -f 1), unpacked $(du -sh "$home" | cut -f 1), runtime $(du -sh "$home/runtime" | cut -f 1)"
for file in bin/brain conf/jvm.options conf/brain.yaml systemd/brain.service man/brain.8 LICENSE README.md; do
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
stop
! grep -E '"level":"(warn|error|fatal)"|WARN|Exception' "$work/log" || fail "the log has warnings"
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
