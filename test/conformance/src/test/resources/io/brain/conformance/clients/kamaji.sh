#!/usr/bin/env bash
# kamaji.sh URL: the user and role calls of Kamaji for a tenant, by etcdctl, which has the same client library.
set -uo pipefail
url=$1
e() { echo "etcdctl $*"; etcdctl --endpoints="$url" "${login[@]}" "$@" 2>&1 | sed 's/{"level".*"error":/error: /'; }
login=()
e user add root:rootpw
e role add root
e user grant-role root root
e auth enable
login=(--user root:rootpw)
e auth status
e user add --no-password tenant
e user add --no-password tenant
e role add tenant
e role add tenant
e role grant-permission --prefix tenant readwrite /tenant/
e user grant-role tenant tenant
e user get tenant
e role get tenant
e user list
e role list
e put /tenant/registry/a 1
login=(--user tenant:none)
e get /tenant/registry/a
login=()
e get /tenant/registry/a
login=(--user root:rootpw)
e del --prefix /tenant/
e role revoke-permission --prefix tenant /tenant/
e user revoke-role tenant tenant
e role delete tenant
e user delete tenant
e user delete tenant
e user get tenant
e auth disable
e user delete root
e role delete root
