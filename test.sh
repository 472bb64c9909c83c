#!/usr/bin/env bash
# Runs all checks that must pass before a change is merged.
#
#   ./test.sh          all checks: format, lints, tests with real servers, documentation, types of the scenarios
#   ./test.sh quick    format, lints and unit tests, without any servers
#
# Missing packages are installed (system packages only as root or with sudo). The script stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")"

mode=${1:-full}
case $mode in
  full | quick) ;;
  *) echo "usage: ./test.sh [quick]" >&2; exit 2 ;;
esac

export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
log=$(mktemp)
aside=$(mktemp) # the output of a command in the background
stage=
trap 'rm -f "$log" "$aside"; [ -z "$stage" ] || echo "==> $stage: FAILED"' EXIT

# stage NAME COMMAND...: runs a command and prints its duration. The first failure ends the script: do not use `||`
# here, because it would disable `set -e` inside the command.
stage() {
  local begun=$SECONDS
  stage=$1
  shift
  echo "==> $stage: $*"
  "$@"
  echo "==> $stage: $((SECONDS - begun)) s"
  stage=
}

# Prints the names of the missing system packages.
missing() {
  command -v cc > /dev/null || echo gcc libc6-dev
  command -v git > /dev/null || echo git
  [ "$mode" = full ] || return 0
  command -v bwrap > /dev/null || echo bubblewrap
  command -v curl > /dev/null || echo curl
  command -v node > /dev/null || echo nodejs
  command -v npm > /dev/null || echo npm
  command -v nats-server > /dev/null || [ -x /usr/sbin/nats-server ] || echo nats-server
  command -v redis-server > /dev/null || echo redis-server
  command -v prometheus > /dev/null || echo prometheus
  ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || echo postgresql
  command -v chromium > /dev/null || echo chromium
  command -v systemd-analyze > /dev/null || echo systemd
  command -v flite > /dev/null || echo flite
  [ -d /usr/share/pocketsphinx/model/en-us ] || echo pocketsphinx-en-us
  /usr/bin/python3 -c 'import pocketsphinx' 2> /dev/null || echo python3-pocketsphinx
  /usr/bin/python3 -c 'import websockets' 2> /dev/null || echo python3-websockets
  python3 -c 'import ensurepip, venv' 2> /dev/null || echo python3 python3-venv
}

tools() {
  command -v cargo > /dev/null || { echo "cargo is missing: install Rust with rustup" >&2; return 1; }
  local packages sudo=()
  packages=$(missing)
  [ -n "$packages" ] || { echo "nothing is missing"; return; }
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -q
  # shellcheck disable=SC2086 # the names are words
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages
}

tests() {
  # closing_line reads the log.
  cargo test --locked --workspace --no-fail-fast "$@" 2>&1 | tee "$log"
}

# All tests. Those with browsers take over a minute each, mostly waiting, so they run beside the others.
all_tests() {
  local editor=people_at_browsers_write_one_text speech=people_speak_to_the_page failed=0 pid
  local report=every_kind_of_page_opens_in_chromium
  cargo test --locked --workspace --test page -- "$editor" "$speech" "$report" > "$aside" 2>&1 &
  pid=$!
  tests -- --skip "$editor" --skip "$speech" --skip "$report" || failed=$?
  wait "$pid" || failed=$?
  tee -a "$log" < "$aside"
  [ "$failed" = 0 ] || repeated
}

# Repeats the tests that failed, one after the other. The host of a virtual machine can take half of its CPU time for
# minutes, and then a few tests that need regular times fail. More failures have another cause.
repeated() {
  local names
  mapfile -t names < <(sed -n 's/^test \([^ ]*\) \.\.\. FAILED$/\1/p' "$log" | sort -u)
  if [ "${#names[@]}" = 0 ] || [ "${#names[@]}" -gt 4 ]; then
    return 1
  fi
  echo "==> repeated, one after the other: ${names[*]}"
  cargo test --locked --workspace --no-fail-fast -- --exact --test-threads 1 "${names[@]}"
  echo "==> failed at first, and passed when repeated: ${names[*]}"
}

# Waits for the installation of third-party software, which began before the build.
installed() {
  wait "$installation" || { cat "$aside"; return 1; }
}

types() {
  local config
  while read -r config; do
    echo "$config"
    e2e/node_modules/.bin/tsc --project "$config"
  done < <(git ls-files --cached --others --exclude-standard -- 'tsconfig.json' '*/tsconfig.json')
}

# Adds up the results of all test binaries. .ci/run searches for this line.
closing_line() {
  awk '/^test result:/ { passed += $4; failed += $6; ignored += $8; binaries++ }
    END { printf "%d tests passed, %d failed, %d ignored, in %d binaries\n", passed, failed, ignored, binaries }' "$log"
}

stage tools tools
if [ "$mode" = full ]; then
  sh e2e/install.sh > "$aside" 2>&1 & # third-party servers, and the TypeScript compiler
  installation=$!
fi
stage format cargo fmt --all --check
stage lints cargo clippy --locked --workspace --all-targets -- -D warnings
stage features cargo clippy --locked -p headcount --no-default-features -- -D warnings # the build without systems
if [ "$mode" = quick ]; then
  stage tests tests --lib --bins
else
  stage build cargo test --locked --workspace --no-run
  stage foreign installed
  stage tests all_tests
  stage documentation env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet
  stage types types
fi
echo "==> $(closing_line)"
echo "==> all passed in $SECONDS s"
