#!/usr/bin/env bash
# brain-cluster.sh FLAGS...: replaces `./brain FLAGS...` by a cluster of three; the server at the given URLs is a
# follower. So every test that starts a server can run on a cluster. Requires a shared store: PD and TiKV
# (start-tikv.sh), given by --pd-endpoints HOST:PORT or BRAIN_PD, or a database, given by --storage and
# --storage-option. The path of the data directory determines the keyspace. Stops its servers when it is stopped.
set -euo pipefail
brain=$(cd "$(dirname "$0")/../.." && pwd)/brain
data="" client="" pd=${BRAIN_PD:-} own=()
everywhere=()
while [ $# -gt 0 ]; do
  flag=${1%%=*}
  case $1 in
    *=*) value=${1#*=} ;;
    *) value=${2-}; [ $# -gt 1 ] && shift ;;
  esac
  case $flag in
    --name | --listen-peer-urls | --initial-advertise-peer-urls | --initial-cluster) ;;
    --data-dir) data=$value ;;
    --pd-endpoints) pd=$value ;;
    --listen-client-urls) client=$value ;;
    --advertise-client-urls) ;;
    --listen-metrics-urls) own+=("$flag=$value") ;;
    *) everywhere+=("$flag=$value") ;;
  esac
  shift
done
port=${client##*:}
storage=()
[ -z "$pd" ] || storage=(--storage tikv --pd-endpoints "$pd")
keyspace=$(printf '%s' "$data" | cksum | tr -d ' ')
mkdir -p "$data"

# Free ports below the ephemeral range.
ports=()
while [ ${#ports[@]} -lt 5 ]; do
  candidate=$((20000 + RANDOM % 10000))
  if [[ " ${ports[*]-} " != *" $candidate "* ]] && ! (exec 3<>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null; then
    ports+=("$candidate")
  fi
done

start() { # NUMBER CLIENT_PORT PEER_PORT FLAGS...
  local number=$1 own_client="http://127.0.0.1:$2" peer="http://127.0.0.1:$3"
  shift 3
  "$brain" --name "n$number" --data-dir "$data/n$number" ${storage[@]+"${storage[@]}"} --keyspace "$keyspace" \
    --listen-client-urls "$own_client" --advertise-client-urls "$own_client" \
    --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
    ${everywhere[@]+"${everywhere[@]}"} "$@" >"$data/n$number.log" 2>&1 &
  pids+=($!)
}

ready() { # NUMBER: waits until the server is ready; fails if it exits
  until grep -q 'ready to serve client requests' "$data/n$1.log"; do
    kill -0 "${pids[$(($1 - 1))]}" 2>/dev/null || { cat "$data/n$1.log" >&2; exit 1; }
    sleep 0.05
  done
}

pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; exit 0' TERM INT
start 1 "${ports[0]}" "${ports[1]}"
ready 1 # alone, so it leads
start 2 "${ports[2]}" "${ports[3]}"
start 3 "$port" "${ports[4]}" ${own[@]+"${own[@]}"}
ready 2
ready 3
cat "$data/n3.log"
wait
