#!/usr/bin/env bash
# Runs the peer tests; see --help.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'USAGE'
run-peer-tests.sh [--long] [--rounds N] [--command "PROGRAM WORDS"] [TEST ...]

Builds and installs missing peers, runs the tests that need them (all, or the given classes), and
prints a summary. Fails if a test fails or is skipped.
Tests that compare each call with etcd write tables to test/conformance/target/matrix-*.md, and
print them if classes are given:
                run-peer-tests.sh 'Etcdctl*Test' 'Jetcd*Test'  every command and call: etcd, Brain
                run-peer-tests.sh HashKvTest                 hashes after the same history

  --long      long forms, for example:
                run-peer-tests.sh --long KillRoundsTest      50 rounds of kill -9
                run-peer-tests.sh --long KubeChurnTest       10 minutes, 5 000 objects, 3 kills of the store
                run-peer-tests.sh --long 'Kube*Test'         same, with 10 000 objects, 12 kills of the store
                run-peer-tests.sh --long 'hostile/*Test'     1 GiB of unread events
  --rounds    number of kill -9 rounds; 200 take about 15 minutes:
                run-peer-tests.sh --rounds 200 KillRoundsTest
  --command   server to test instead of ./brain; "etcd" tests etcd, and skips tests of guarantees
              that only Brain makes
USAGE
}

form=short command="" tests="" rounds=""
while [ $# -gt 0 ]; do
  case $1 in
    --long) form=long ;;
    --rounds) rounds=$2; shift ;;
    --command) command=$2; shift ;;
    --help | -h) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) tests=${tests:+$tests,}$1 ;;
  esac
  shift
done

install_missing() { # PROGRAM PACKAGE: installs with apt-get, if available
  command -v "$1" >/dev/null && return
  command -v apt-get >/dev/null || { echo "run-peer-tests.sh: missing program $1: install it" >&2; exit 1; }
  local root=""
  [ "$(id -u)" = 0 ] || root=sudo
  echo "installing $2"
  $root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

install_missing strace strace
install_missing kubectl kubernetes-client
install_missing openssl openssl
install_missing curl curl
install_missing faketime faketime
install_missing unshare util-linux
install_missing ip iproute2
install_missing python3 python3
python3 -c "import ensurepip" 2>/dev/null || install_missing python3-venv python3-venv
# Their services are not wanted: the tests start servers of their own.
RUNLEVEL=1 PATH=$PATH:/usr/sbin install_missing mariadbd mariadb-server
[ -d /usr/lib/postgresql ] || RUNLEVEL=1 install_missing initdb postgresql
install_missing chromium-headless-shell chromium-headless-shell
test/peers/build.sh

if [ -z "$command" ]; then
  ./brain --version >/dev/null # builds it before the tests
fi

started=$SECONDS
log=$(mktemp)
trap 'rm -f "$log"' EXIT
reports="test/conformance/target/surefire-reports brain-storage-tikv/target/surefire-reports brain-storage-mysql/target/surefire-reports brain-bbolt/target/surefire-reports brain-transfer/target/surefire-reports brain-server/target/surefire-reports"
rm -rf $reports test/conformance/target/matrix-*.md
status=0
excluded=slow
[ "$form" = short ] || excluded=none
./mvnw -B -ntp -Ppeer -pl test/conformance,brain-storage-tikv,brain-storage-mysql,brain-bbolt,brain-transfer,brain-server -am verify \
  -Dpeer.form="$form" -Dexcluded.test.groups="$excluded" -Dbrain.command="$command" \
  ${rounds:+-Dkill.rounds="$rounds"} ${tests:+-Dtest="$tests"} -Dsurefire.failIfNoSpecifiedTests=false 2>&1 | tee "$log" || status=$?

total() { # ATTRIBUTE: sum over all test classes
  for r in $reports; do cat "$r"/TEST-*.xml 2>/dev/null || true; done | grep -A3 '<testsuite ' | grep -oE " $1=\"[0-9]+\"" | tr -dc '0-9\n' | awk '{ n += $1 } END { print n + 0 }'
}
echo
echo "== peer tests, $form form, $((SECONDS - started)) s"
grep -E '^differs: ' "$log" || true
grep -E '^(summary|cases|histories): ' "$log" | sed 's/^summary: //' || true
for table in test/conformance/target/matrix-*.md; do
  [ ! -f "$table" ] || if [ -n "$tests" ]; then cat "$table"; else echo "table: $table"; fi
done
skipped=$(total skipped)
echo "tests $(total tests), failed $(($(total failures) + $(total errors))), skipped $skipped"
if [ "$skipped" -gt 0 ] && [ -z "$command" ]; then
  echo "run-peer-tests.sh: skipped tests are not allowed" >&2
  for r in $reports; do grep -l '<skipped' "$r"/TEST-*.xml >&2 || true; done
  status=1
fi
exit "$status"
