#!/usr/bin/env bash
# Runs a command on a throwaway Postgres 15, the oldest version supported, from Debian's package:
#   bash test/support/with-postgres-15.sh npm test
# The command finds the server in TEST_DATABASE_URL. Root installs the package when it is missing.
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: $0 command [argument ...]" >&2; exit 2; }

bin=/usr/lib/postgresql/15/bin
if [ ! -x "$bin/initdb" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "$0: expected Postgres 15 in $bin: install the package postgresql-15 first" >&2
    exit 2
  fi
  # The package would make and start a cluster of its own on port 5432.
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/usage-etl.conf
  . "$(dirname "$0")/../../.ci/network.sh"
  installed_packages postgresql-15
fi

# Postgres refuses to run as root.
as_server=()
if [ "$(id -u)" -eq 0 ]; then as_server=(setpriv --reuid=postgres --regid=postgres --clear-groups); fi

folder=$(mktemp -d /var/tmp/postgres-15-XXXXXX)
chmod 711 "$folder"
mkdir -m 700 "$folder/server"
if [ "$(id -u)" -eq 0 ]; then chown postgres:postgres "$folder/server"; fi

clean_up() {
  if [ -f "$folder/server/data/postmaster.pid" ]; then
    (cd / && "${as_server[@]}" "$bin/pg_ctl" stop --silent --mode=immediate --pgdata="$folder/server/data") || true
  fi
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

password=$(head -c 18 /dev/urandom | base64 | tr '+/' '-_')
(umask 077 && echo "$password" > "$folder/password")
if [ "$(id -u)" -eq 0 ]; then chown postgres:postgres "$folder/password"; fi

(cd / && "${as_server[@]}" "$bin/initdb" --pgdata="$folder/server/data" --username=postgres \
  --pwfile="$folder/password" --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync > /dev/null)

# A port may be taken between the choice and the start: then the next one is tried.
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  port=$((20000 + RANDOM % 12000))
  if (cd / && "${as_server[@]}" "$bin/pg_ctl" start --silent --wait --pgdata="$folder/server/data" \
    --log="$folder/server/log" --options="-p $port -h 127.0.0.1 -c unix_socket_directories='' \
      -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=logical -c max_connections=500"); then
    break
  fi
  if [ "$attempt" -eq 10 ]; then cat "$folder/server/log" >&2; exit 1; fi
done

status=0
TEST_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres" "$@" || status=$?
exit "$status"
