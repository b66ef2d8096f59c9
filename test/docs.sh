#!/usr/bin/env bash
# docs.sh [PAGE.md...]: runs the command blocks of the documents (default: all), in namespaces of their own: nothing else
# is reached or disturbed, any port and address is free, and all processes end with it. Builds ./brain and peers that
# are missing.
# The blocks of a page run in order, in one directory with the files of the repository. Kinds of blocks:
#   sh               runs to the end, with exit code 0
#   sh serves        starts a server, which serves until the page ends
#   sh stopped       as sh, after the servers of the page have stopped, with exit code 0
#   sh kubernetes    as sh; kubectl reaches a kube-apiserver
#   sh not-run: WHY  only the syntax is checked
#   console          commands after "$ " with their output; lease IDs may differ
#   text, yaml, json, ini, java
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
bin=${PEERS_BIN:-$HOME/.cache/brain-peers/bin}

if [ "${DOCS_INSIDE:-}" = "" ]; then
  test/peers/build.sh etcd kubernetes pd unistore
  ./brain --version >/dev/null # builds it
  test/bench/brain-bench.sh --help >/dev/null # builds it
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  DOCS_INSIDE=$work unshare --map-root-user --net --pid --fork --kill-child --mount-proc "$0" "$@"
  exit
fi

ip link set lo up
ip address add 10.0.0.1/32 dev lo
work=$DOCS_INSIDE
export PATH=$bin:$PATH PEERS_BIN=$bin
export BRAIN_JAVA_OPTS="-Xmx256m -XX:TieredStopAtLevel=1"
failed=0 ran=0 skipped=""
pids=()

# Splits PAGE into files DIR/LINE.KIND, where KIND has dots for blanks; fails for an unknown kind and indented code.
split() { # PAGE DIR
  awk -v page="$1" -v dir="$2" '
    /^ *```/ {
      if (out != "") { close(out); out = ""; next }
      match($0, /^ */); indent = RLENGTH; kind = substr($0, indent + 4)
      if (kind !~ /^(sh( serves| stopped| kubernetes| not-run: .+)?|console|text|yaml|json|ini|java)$/) {
        print page ":" NR ": unknown kind of block: " kind > "/dev/stderr"; bad = 1
      }
      why = kind; sub(/^sh not-run: /, "", why); sub(/: .*/, "", kind); gsub(/ /, ".", kind)
      out = sprintf("%s/%05d.%s", dir, NR, kind)
      printf "" > out
      if (kind ~ /not-run/) print "# " why > out
      next
    }
    out != "" { print substr($0, indent + 1) > out; next }
    /^    / && blank { print page ":" NR ": code without a fence" > "/dev/stderr"; bad = 1 }
    { blank = /^ *$/ }
    END { exit bad }' "$1"
}

certificates() { # writes ca.crt, and server and client certificates with their keys, into the directory
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=ca -keyout ca.key -out ca.crt
  local name
  for name in server client; do
    openssl req -new -newkey rsa:2048 -nodes -subj "/CN=$name" -keyout "$name.key" -out "$name.csr"
    openssl x509 -req -in "$name.csr" -days 1 -CA ca.crt -CAkey ca.key -CAcreateserial -out "$name.crt" \
      -extfile <(echo "subjectAltName=IP:10.0.0.1,IP:127.0.0.1")
  done
} >/dev/null 2>&1

serve() { # BLOCK: starts the server of a block, and waits until it serves
  local log=$PWD/server-${#pids[@]}.log
  : >"$log"
  bash -c "$(cat "$1")" >"$log" 2>&1 &
  pids+=($!)
  for _ in $(seq 300); do
    ! grep -q "ready to serve client requests" "$log" || return 0
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  cat "$log"
  return 1
}

stop() { # stops the servers of a page; etcd ends with the signal's code
  local pid code failed_stop=0
  for pid in ${pids[@]+"${pids[@]}"}; do kill -TERM "$pid"; done
  for pid in ${pids[@]+"${pids[@]}"}; do
    code=0
    wait "$pid" || code=$?
    [ "$code" = 0 ] || [ "$code" = 143 ] || { echo "a server exited with code $code"; failed_stop=1; }
  done
  pids=()
  return "$failed_stop"
}

kubernetes() { # starts a kube-apiserver on a Brain, once
  export KUBECONFIG=$work/kubeconfig
  [ ! -f "$KUBECONFIG" ] || return 0
  echo "./brain --data-dir kubernetes --listen-client-urls http://127.0.0.1:2779 --advertise-client-urls http://127.0.0.1:2779" >"$work/store"
  serve "$work/store"
  "$root/test/peers/start-kube-apiserver.sh" "$work/kubernetes" http://127.0.0.1:2779 6443 --advertise-address=10.0.0.1
  kubectl config set-cluster docs --server=https://127.0.0.1:6443 --insecure-skip-tls-verify
  kubectl config set-credentials docs --token=admintoken
  kubectl config set-context docs --cluster=docs --user=docs
  kubectl config use-context docs
}

check() { # BLOCK: runs a console block, and compares its output
  local mask='s/[0-9a-f]{16}/ID/g'
  sed -E "$mask" "$1" >expected.txt
  grep '^\$ ' "$1" | cut -c 3- | while read -r command; do
    printf '$ %s\n' "$command"
    bash -c "$command" 2>&1 </dev/null || true
  done | sed -E "$mask" >actual.txt
  diff expected.txt actual.txt
}

run() { # KIND BLOCK
  case $1 in
    sh) bash -euo pipefail "$2" </dev/null ;;
    sh.serves) serve "$2" ;;
    sh.stopped) stop && bash -euo pipefail "$2" </dev/null ;;
    sh.kubernetes) kubernetes && bash -euo pipefail "$2" </dev/null ;;
    sh.not-run) bash -n "$2" ;;
    console) check "$2" ;;
  esac
}

mkdir "$work/certificates"
(cd "$work/certificates" && certificates)
cd "$root"
[ $# -gt 0 ] || mapfile -t pages < <(git ls-files '*.md')
[ $# -eq 0 ] || pages=("$@")
for page in "${pages[@]}"; do
  blocks=$work/blocks/$page
  HOME=$work/pages/$page
  export HOME
  mkdir -p "$blocks" "$HOME"
  split "$root/$page" "$blocks" || failed=$((failed + 1))
  cd "$HOME"
  ln -s "$root"/* .
  cp "$work"/certificates/* .
  for block in $(find "$blocks" -name '*.sh*' -o -name '*.console' | sort); do
    name=${block##*/}
    line=$((10#${name%%.*})) kind=${name#*.}
    started=$SECONDS
    if ! run "$kind" "$block" >output.txt 2>&1; then
      failed=$((failed + 1))
      echo "FAILED  $page:$line: $kind"
      sed 's/^/    /' "$block" output.txt
    elif [ "$kind" = sh.not-run ]; then
      skipped+="  $page:$line: $(sed -n '1s/^# //p' "$block")"$'\n'
    else
      ran=$((ran + 1))
      echo "ok      $page:$line: $kind, $((SECONDS - started)) s"
    fi
  done
  stop || failed=$((failed + 1))
  cd "$root"
done
[ -z "$skipped" ] || printf 'not run:\n%s' "$skipped"
echo "blocks run $ran, failed $failed, $SECONDS s"
[ "$failed" = 0 ]
