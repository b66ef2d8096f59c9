#!/usr/bin/env bash
# start-postgres.sh DIR PORT: starts a PostgreSQL on loopback, with its data in DIR/data, which is made if it is missing;
# the user "brain" with password "brain" owns the database "brain". Writes DIR/pid, and DIR/log with the server's messages;
# to stop: kill $(cat DIR/pid). As root, which PostgreSQL refuses, the server runs as the user postgres.
set -euo pipefail
dir=$1 port=$2
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -z "$bin" ] || PATH=$bin:$PATH
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=postgres --regid=postgres --clear-groups); fi
mkdir -p "$dir"
[ "$(id -u)" != 0 ] || chown postgres: "$dir"
cd "$dir" # a directory that the server's user may enter
if [ ! -f "$dir/data/PG_VERSION" ]; then
  echo brain >"$dir/password"
  [ "$(id -u)" != 0 ] || chown postgres: "$dir/password"
  "${as[@]}" initdb -D "$dir/data" -U brain --pwfile="$dir/password" --auth=scram-sha-256 -E UTF8 --locale=C \
    >"$dir/install.log" 2>&1 || { cat "$dir/install.log" >&2; exit 1; }
fi
nohup "${as[@]}" postgres -D "$dir/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories="$dir" \
  -c max_connections=200 >>"$dir/log" 2>&1 &
process=$!
echo "$process" >"$dir/pid"
export PGPASSWORD=brain
for _ in $(seq 300); do
  if psql -h 127.0.0.1 -p "$port" -U brain -c "SELECT 1" postgres >/dev/null 2>&1; then
    for database in brain kine; do
      psql -h 127.0.0.1 -p "$port" -U brain -tc "SELECT 1 FROM pg_database WHERE datname = '$database'" postgres |
        grep -q 1 || psql -q -h 127.0.0.1 -p "$port" -U brain -c "CREATE DATABASE $database" postgres
    done
    exit 0
  fi
  kill -0 "$process" 2>/dev/null || break
  sleep 0.1
done
echo "PostgreSQL is not ready: $dir/log" >&2
tail -5 "$dir/log" >&2
kill "$process" 2>/dev/null || true
exit 1
