#!/usr/bin/env bash
# apisix.sh URL: the calls of APISIX's client, lua-resty-etcd.
set -euo pipefail
url=$1
. "$(dirname "$0")/http.sh"
key=$(b /apisix/routes/1) dir=$(b /apisix/routes/) end=$(b /apisix/routes0)
sequence() {
  call /v3/kv/range "{\"key\":\"$dir\",\"range_end\":\"$end\"}" "${auth[@]}"
  call /v3/kv/put "{\"key\":\"$(b /apisix/routes/)\",\"value\":\"$(b init_dir)\"}" "${auth[@]}"
  call /v3/kv/put "{\"value\":\"$(b '{"uri":"/a"}')\",\"key\":\"$key\"}" "${auth[@]}"
  call /v3/kv/put "{\"value\":\"$(b '{"uri":"/b"}')\",\"key\":\"$key\",\"prev_kv\":true}" "${auth[@]}"
  call /v3/kv/range "{\"key\":\"$key\"}" "${auth[@]}"
  call /v3/kv/range "{\"key\":\"$dir\",\"range_end\":\"$end\",\"limit\":0,\"revision\":0,\"sort_order\":\"NONE\",\"sort_target\":\"KEY\",\"keys_only\":false,\"serializable\":false}" "${auth[@]}"
  call /v3/kv/txn "{\"compare\":[{\"key\":\"$key\",\"target\":\"CREATE\",\"create_revision\":0}],\"success\":[{\"requestPut\":{\"key\":\"$key\",\"value\":\"$(b x)\"}}]}" "${auth[@]}"
  call /v3/lease/grant '{"ID":77,"TTL":600}' "${auth[@]}"
  call /v3/kv/put "{\"key\":\"$(b /apisix/routes/leased)\",\"value\":\"$(b 1)\",\"lease\":77}" "${auth[@]}"
  call /v3/lease/keepalive '{"ID":77}' "${auth[@]}"
  call /v3/kv/lease/timetolive '{"ID":77,"keys":true}' "${auth[@]}" | sed 's/"TTL":"[0-9]*"/"TTL":"N"/'
  call /v3/lease/leases '{}' "${auth[@]}"
  call /v3/kv/lease/revoke '{"ID":77}' "${auth[@]}"
  watch 2 3 "{\"create_request\":{\"key\":\"$dir\",\"range_end\":\"$end\",\"start_revision\":3,\"prev_kv\":true,\"progress_notify\":true}}" \
    call /v3/kv/deleterange "{\"key\":\"$key\",\"prev_kv\":true}" "${auth[@]}"
  watch 1 2 "{\"create_request\":{\"key\":\"$dir\",\"range_end\":\"$end\"}}" \
    call /v3/kv/put "{\"key\":\"$key\",\"value\":\"$(b live)\"}" "${auth[@]}"
  call /v3/kv/compaction '{"revision":6}' "${auth[@]}"
  watch 1 2 "{\"create_request\":{\"key\":\"$dir\",\"range_end\":\"$end\",\"start_revision\":2}}" true
}
curl -sS "$url/version"; echo
sequence
with_users apisix apw /apisix/
call /v3/kv/range "{\"key\":\"$key\"}"
call /v3/auth/authenticate '{"name":"apisix","password":"wrong"}'
login apisix apw
call /v3/kv/range "{\"key\":\"$key\"}" "${auth[@]}"
call /v3/kv/put "{\"key\":\"$key\",\"value\":\"$(b 2)\"}" "${auth[@]}"
call /v3/kv/put "{\"key\":\"$(b /other)\",\"value\":\"$(b 2)\"}" "${auth[@]}"
watch 1 2 "{\"create_request\":{\"key\":\"$dir\",\"range_end\":\"$end\"}}" \
  call /v3/kv/put "{\"key\":\"$key\",\"value\":\"$(b 3)\"}" "${auth[@]}"
call /v3/kv/range "{\"key\":\"$key\"}" -H 'Authorization: expired.1'
login root rootpw
call /v3/auth/disable '{}' "${auth[@]}"
