#!/usr/bin/env bash
# patroni.sh URL: the calls of Patroni's etcd3 client.
set -euo pipefail
url=$1
. "$(dirname "$0")/http.sh"
p=/service/demo/
config=$(b ${p}config) leader=$(b ${p}leader) member=$(b ${p}members/pg1) all=$(b $p) end=$(b /service/demo0)
sequence() { # HISTORY: lines of a watch before its live events
  call /v3/cluster/member/list '{}' "${auth[@]}" | sed 's/127.0.0.1:[0-9]*/ADDRESS/g; s/"peerURLs":\[[^]]*\]/"peerURLs":[]/; s/"name":"[^"]*"/"name":"N"/'
  call /v3/kv/range "{\"key\":\"$all\",\"range_end\":\"$end\",\"serializable\":true}" "${auth[@]}"
  call /v3/lease/grant '{"TTL":600,"ID":"91"}' "${auth[@]}"
  call /v3/kv/txn "{\"compare\":[{\"target\":\"CREATE\",\"create_revision\":\"0\",\"result\":\"EQUAL\",\"key\":\"$config\"}],\"success\":[{\"request_put\":{\"key\":\"$config\",\"value\":\"$(b '{"ttl":30}')\"}}]}" "${auth[@]}"
  call /v3/kv/put "{\"key\":\"$member\",\"value\":\"$(b '{"state":"running"}')\",\"lease\":\"91\"}" "${auth[@]}"
  call /v3/kv/txn "{\"compare\":[{\"target\":\"CREATE\",\"create_revision\":\"0\",\"result\":\"EQUAL\",\"key\":\"$leader\"}],\"success\":[{\"request_put\":{\"key\":\"$leader\",\"value\":\"$(b pg1)\",\"lease\":\"91\"}}],\"failure\":[]}" "${auth[@]}"
  call /v3/kv/txn "{\"compare\":[{\"target\":\"CREATE\",\"create_revision\":\"0\",\"result\":\"EQUAL\",\"key\":\"$leader\"}],\"success\":[{\"request_put\":{\"key\":\"$leader\",\"value\":\"$(b pg2)\",\"lease\":\"91\"}}]}" "${auth[@]}"
  call /v3/lease/keepalive '{"ID":"91"}' "${auth[@]}"
  call /v3/lease/keepalive '{"ID":"92"}' "${auth[@]}"
  call /v3/kv/txn "{\"compare\":[{\"target\":\"VALUE\",\"value\":\"$(b pg1)\",\"result\":\"EQUAL\",\"key\":\"$leader\"}],\"success\":[{\"request_put\":{\"key\":\"$(b ${p}status)\",\"value\":\"$(b '{"optime":1}')\"}}]}" "${auth[@]}"
  call /v3/kv/txn "{\"compare\":[{\"target\":\"MOD\",\"mod_revision\":\"2\",\"result\":\"EQUAL\",\"key\":\"$config\"}],\"success\":[{\"request_put\":{\"key\":\"$config\",\"value\":\"$(b '{"ttl":20}')\"}}]}" "${auth[@]}"
  call /v3/kv/range "{\"key\":\"$all\",\"range_end\":\"$end\",\"serializable\":false}" "${auth[@]}"
  watch "$1" "$(($1 + 1))" "{\"create_request\":{\"key\":\"$leader\",\"start_revision\":\"5\"}}" \
    call /v3/kv/txn "{\"compare\":[{\"target\":\"VALUE\",\"value\":\"$(b pg1)\",\"result\":\"EQUAL\",\"key\":\"$leader\"}],\"success\":[{\"request_delete_range\":{\"key\":\"$leader\"}}]}" "${auth[@]}"
  call /v3/kv/put "{\"key\":\"$member\",\"value\":\"\",\"lease\":\"93\"}" "${auth[@]}"
  call /v3/lease/revoke '{"ID":"91"}' "${auth[@]}"
  call /v3/kv/deleterange "{\"key\":\"$all\",\"range_end\":\"$end\"}" "${auth[@]}"
}
curl -sS "$url/version"; echo
sequence 1
with_users patroni ppw /service/
login patroni ppw
sequence 2
call /v3/kv/range "{\"key\":\"$(b /)\",\"range_end\":\"AA==\"}" "${auth[@]}"
call /v3/kv/range "{\"key\":\"$all\"}" -H 'Authorization: no.1'
call /v3/kv/range "{\"key\":\"$all\"}"
