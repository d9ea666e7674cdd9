# Meltano's tap and target without Meltano itself: target-postgres reads the output of the tap and upserts it by key.
set -euo pipefail
cd "$(dirname "$0")"
environment=$1 use_copy=$2

export TAP_PLATFORM_API_URL=$API_BASE_URL TAP_PLATFORM_API_KEY=$API_KEY
export TAP_PLATFORM_FIRST_DAY=$FIRST_DAY TAP_PLATFORM_LAST_DAY=$LAST_DAY
export TARGET_POSTGRES_SQLALCHEMY_URL=postgresql+psycopg://${DATABASE_URL#*://}
export TARGET_POSTGRES_DEFAULT_TARGET_SCHEMA=peer TARGET_POSTGRES_LOAD_METHOD=upsert TARGET_POSTGRES_USE_COPY=$use_copy
"$environment/bin/python" tap.py --config=ENV | "$environment/bin/target-postgres" --config=ENV
