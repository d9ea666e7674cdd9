# For scripts that bring something from a network, which may fail once without a reason that concerns us.

# bounded COMMAND...: ends a program that hangs, such as a download that never goes on. Functions run as they are.
bounded() {
  if [ "$(type -t "$1")" = file ]; then timeout --kill-after=10 900 "$@"; else "$@"; fi
}

# retried COMMAND...: runs a command, up to three times until it succeeds.
retried() {
  local attempt
  for attempt in 1 2; do
    if bounded "$@"; then return; fi
    printf '!!! failed, and is tried again: %s\n' "$*" >&2
    sleep $((attempt * 5))
  done
  bounded "$@"
}

# installed_packages PACKAGE...: has root install packages of the system, one such call after the other. Fails where
# the user is not root, or the system has no apt.
installed_packages() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get > /dev/null || return 1
  (
    flock 8
    retried apt-get update -qq && DEBIAN_FRONTEND=noninteractive retried apt-get install -y -qq --no-install-recommends "$@"
  ) 8> "${TMPDIR:-/tmp}/usage-etl-packages.lock" > /dev/null
}
