#!/usr/bin/env bash
# Fills a database as this version does, and dumps it into test/fixtures/released: later versions are tried on it
# (test/system/released-versions.test.ts). Only by commands that every version has, and on Postgres 15, whose dumps all
# later ones read: `npm run release-fixture`. FOLDER as the first argument takes the program of another checkout.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests=$PWD
program=${1:-$PWD}
export PATH="$tests/node_modules/.bin:$PATH"
bin=/usr/lib/postgresql/15/bin
: "${TEST_DATABASE_URL:?expected a Postgres 15; run it behind test/support/with-postgres-15.sh}"

folder=$(mktemp -d "${TMPDIR:-/tmp}/usage-etl-fixture-XXXXXX")
simulator=
clean_up() {
  [ -z "$simulator" ] || kill "$simulator" 2> /dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

database=usage_release
"$bin/psql" --quiet "$TEST_DATABASE_URL" --command="create database $database template template0 encoding 'UTF8'"
export DATABASE_URL="${TEST_DATABASE_URL%/*}/$database"
export DATA_DIR="$folder/data" LOG_LEVEL=warn REQUESTS_PER_SECOND=1000 API_KEY=fixture-key

# In the folder: no .env of a developer is read there.
cd "$folder"
etl() {
  node "$program/jobs/usage-etl.ts" "$@"
}

etl simulate --json --port 0 --users 40 --seed 1 --api-key "$API_KEY" > told 2> simulator.log &
simulator=$!
until grep -q '"url"' told; do
  kill -0 "$simulator" || { cat simulator.log >&2; exit 1; }
  sleep 0.2
done
API_BASE_URL=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' told)
export API_BASE_URL APP_BASE_URL="$API_BASE_URL"

etl migrate
etl backfill --from 2026-02-02 --to 2026-02-05
etl nightly --date 2026-02-06
# What failed stands in the ledger, too: nobody listens there.
API_BASE_URL=http://127.0.0.1:9 MAX_RETRIES=0 etl backfill --force --from 2026-02-03 --to 2026-02-03 || test $? -eq 1
etl sessions add session_000000002 session_000000003
etl sessions load
ask() {
  "$bin/psql" --tuples-only --no-align "$DATABASE_URL" --command="$1"
}
mapfile -t users < <(ask 'select user_id from warehouse.dim_user order by user_key')
email=$(ask 'select min(user_email) from warehouse.dim_user')
printf 'user_id,team,valid_from\n%s,core,2026-01-14\n%s,web,2026-02-03\n' "${users[0]}" "${users[1]}" > people.csv
printf 'model_id,model_tier,price_per_million_credits,currency,valid_from\nany,*,12.50,EUR,2026-01-14\n' > prices.csv
printf 'email,limit\n%s,2000000\nnobody@example.com,1000000\n' "$email" > limits.csv
etl people import people.csv
etl prices import prices.csv
etl limits apply limits.csv --yes || test $? -eq 1
etl verify
etl forget-user "${users[2]}"
kill "$simulator"
wait "$simulator" || true
simulator=

version=$(node -p "require('$program/package.json').version")
name="warehouse-of-$version.sql.gz"
# Most of the calendar is a day like any other, and `migrate` or a run makes it again.
ask "delete from warehouse.dim_date
  where date_day not between '2026-01-01' and '2026-02-28'
    and date_day not between (now() at time zone 'utc')::date - 2 and (now() at time zone 'utc')::date" > /dev/null
# Who owns what is the business of each server.
"$bin/pg_dump" --inserts --rows-per-insert=50 --no-owner --no-privileges "$DATABASE_URL" |
  sed -E '/^(--.*|\\(un)?restrict .*)?$/d' > dump.sql
{
  printf -- '-- Version %s, filled by test/support/make-release-fixture.sh\n' "$version"
  cat dump.sql
} | gzip -9 --no-name > "$tests/test/fixtures/released/$name"
printf 'written: test/fixtures/released/%s, %s kB\n' "$name" "$(($(wc -c < "$tests/test/fixtures/released/$name") / 1000))"
