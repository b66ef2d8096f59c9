#!/usr/bin/env bash
# start-mariadb.sh DIR PORT: starts a MariaDB on loopback, with its data in DIR/data, which is made if it is missing; the
# user "brain" with password "brain" owns the database "brain". Writes DIR/pid, and DIR/log with the server's messages;
# to stop: kill $(cat DIR/pid). As root, the server runs as the user mysql. With BRAIN_MYSQLD=PATH in the environment, starts
# that MySQL server instead.
set -euo pipefail
dir=$1 port=$2
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=mysql --regid=mysql --clear-groups); fi
mkdir -p "$dir"
[ "$(id -u)" != 0 ] || chown mysql: "$dir"
server=${BRAIN_MYSQLD:-$(PATH=$PATH:/usr/sbin command -v mariadbd)}
install=(mariadb-install-db --no-defaults --auth-root-authentication-method=normal --skip-test-db)
[ -z "${BRAIN_MYSQLD:-}" ] || install=("$server" --no-defaults --initialize-insecure)
if [ ! -d "$dir/data/mysql" ]; then
  "${as[@]}" "${install[@]}" --datadir="$dir/data" >"$dir/install.log" 2>&1 || { cat "$dir/install.log" >&2; exit 1; }
  cat >"$dir/init.sql" <<'S'
CREATE DATABASE IF NOT EXISTS brain;
CREATE USER IF NOT EXISTS brain@'%' IDENTIFIED BY 'brain';
GRANT ALL ON brain.* TO brain@'%';
CREATE DATABASE IF NOT EXISTS kine;
GRANT ALL ON kine.* TO brain@'%';
CREATE USER IF NOT EXISTS root@'127.0.0.1';
GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
S
  [ "$(id -u)" != 0 ] || chown mysql: "$dir/init.sql"
fi
nohup "${as[@]}" "$server" --no-defaults --datadir="$dir/data" --bind-address=127.0.0.1 --port="$port" \
  --socket="$dir/socket" --pid-file="$dir/pid" --init-file="$dir/init.sql" --skip-name-resolve \
  --innodb-buffer-pool-size=256M --max-connections=200 >>"$dir/log" 2>&1 &
process=$!
for _ in $(seq 300); do
  mariadb -h 127.0.0.1 -P "$port" -ubrain -pbrain -e "SELECT 1" brain >/dev/null 2>&1 && exit 0
  kill -0 "$process" 2>/dev/null || break
  sleep 0.1
done
echo "the database is not ready: $dir/log" >&2
tail -5 "$dir/log" >&2
kill "$process" 2>/dev/null || true
exit 1
