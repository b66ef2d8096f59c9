# Sourced: calls of a client of the JSON gateway. $url: the server.
b() { printf %s "$1" | base64 -w 0; }
call() { # PATH BODY [curl options]: prints the call, HTTP code and body
  local path=$1 body=$2
  shift 2
  echo "POST $path $body"
  curl -sS -m 10 -H 'Content-Type: application/json' "$@" -w ' [%{http_code}]\n' -d "$body" "$url$path"
}
watch() { # BEFORE LINES BODY COMMAND...: opens a watch, runs the command after BEFORE lines, prints the first LINES
  local before=$1 lines=$2 body=$3 out
  shift 3
  echo "POST /v3/watch $body"
  out=$(mktemp)
  curl -sSN -m 30 "${auth[@]}" -d "$body" "$url/v3/watch" >"$out" &
  local pid=$!
  until [ "$(wc -l <"$out")" -ge "$before" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
  "$@"
  until [ "$(wc -l <"$out")" -ge "$lines" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
  kill $pid 2>/dev/null || true
  head -n "$lines" "$out"
  rm -f "$out"
}
auth=()
login() { # NAME PASSWORD: authenticates; the token is used from now on
  echo "authenticate $1"
  local token
  token=$(curl -sS -d "{\"name\":\"$1\",\"password\":\"$2\"}" "$url/v3/auth/authenticate" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
  echo "token: ${token:+yes}"
  auth=(-H "Authorization: $token")
}
with_users() { # NAME PASSWORD PREFIX: root, a user of the prefix, authentication on
  call /v3/auth/user/add '{"name":"root","password":"rootpw"}'
  call /v3/auth/role/add '{"name":"root"}'
  call /v3/auth/user/grant '{"user":"root","role":"root"}'
  call /v3/auth/user/add "{\"name\":\"$1\",\"password\":\"$2\"}"
  call /v3/auth/role/add "{\"name\":\"$1\"}"
  call /v3/auth/role/grant "{\"name\":\"$1\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"$(b "$3")\",\"range_end\":\"$(b "${3%/}0")\"}}"
  call /v3/auth/user/grant "{\"user\":\"$1\",\"role\":\"$1\"}"
  call /v3/auth/enable '{}'
}
