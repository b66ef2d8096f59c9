#!/usr/bin/env bash
# clustermesh.sh URL: the users and roles that Cilium's clustermesh-apiserver makes, and what its users may do; by
# etcdctl, which has the same client library.
set -uo pipefail
url=$1
e() { echo "etcdctl $*"; etcdctl --endpoints="$url" "${login[@]}" "$@" 2>&1 | sed 's/{"level".*"error":/error: /'; }
login=()
e put cilium/.has-cluster-config true
e role add root
e user add --no-password root
e user grant-role root root
e user add admin-local:apw
e user grant-role admin-local root
e role add remote
e role grant-permission remote read cilium/.heartbeat
e role grant-permission --prefix remote read cilium/cache/
e role grant-permission --prefix remote read cilium/cluster-config/
e role grant-permission --prefix remote read cilium/state/
e role grant-permission --prefix remote read cilium/synced/
e user add remote:rpw
e user grant-role remote remote
e role get remote
e auth enable
login=(--user admin-local:apw)
e put cilium/state/nodes/v1/local/n1 '{}'
e put cilium/synced/local/x 1
e auth status
e member list -w simple | sed 's/^[0-9a-f]*,/ID,/; s/, [^,]*, http[^,]*, http[^,]*,/, N, P, C,/; s/ID,.*/ID/'
login=(--user remote:rpw)
e get --prefix cilium/state/
e get cilium/.heartbeat
e get cilium/.has-cluster-config
e get --prefix cilium/
e put cilium/state/nodes/v1/local/n1 hijacked
e del cilium/state/nodes/v1/local/n1
e lease grant 60 | sed 's/lease [0-9a-f]*/lease ID/'
e user list
e role get remote
e role get root
login=(--user remote:wrong)
e get cilium/.heartbeat
login=(--user admin-local:apw)
e auth disable
