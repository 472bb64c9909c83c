#!/usr/bin/env bash
# Everything that must hold before a change goes in.
#
#   ./test.sh          all of it: format, lints, tests with real servers, documentation, types of the scenarios
#   ./test.sh quick    format, lints and unit tests: nothing is installed, no server is started
#
# It installs what is missing (system packages only as root or with sudo), and stops at the first failure.
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
stage=
trap 'rm -f "$log"; [ -z "$stage" ] || echo "==> $stage: FAILED"' EXIT

# stage NAME COMMAND...: runs a command and says how long it took. The first failure ends the script:
# no `||` here, which would switch that off inside of the command.
stage() {
  local begun=$SECONDS
  stage=$1
  shift
  echo "==> $stage: $*"
  "$@"
  echo "==> $stage: $((SECONDS - begun)) s"
  stage=
}

# Prints the names of the system packages that are not there.
missing() {
  command -v cc > /dev/null || echo gcc libc6-dev
  command -v git > /dev/null || echo git
  [ "$mode" = full ] || return 0
  command -v bwrap > /dev/null || echo bubblewrap
  command -v curl > /dev/null || echo curl
  command -v node > /dev/null || echo nodejs
  command -v npm > /dev/null || echo npm
  command -v nats-server > /dev/null || [ -x /usr/sbin/nats-server ] || echo nats-server
  ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || echo postgresql
  command -v chromium > /dev/null || echo chromium
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
  cargo test --locked --workspace --no-fail-fast "$@" 2>&1 | tee "$log"
}

types() {
  local config
  while read -r config; do
    echo "$config"
    e2e/node_modules/.bin/tsc --project "$config"
  done < <(git ls-files --cached --others --exclude-standard -- 'tsconfig.json' '*/tsconfig.json')
}

# Adds up what the test binaries said of themselves.
closing_line() {
  awk '/^test result:/ { passed += $4; failed += $6; ignored += $8; binaries++ }
    END { printf "%d tests passed, %d failed, %d ignored, in %d binaries\n", passed, failed, ignored, binaries }' "$log"
}

stage tools tools
[ "$mode" = quick ] || stage foreign sh e2e/install.sh # servers that others wrote, and the TypeScript compiler
stage format cargo fmt --all --check
stage lints cargo clippy --locked --workspace --all-targets -- -D warnings
if [ "$mode" = quick ]; then
  stage tests tests --lib --bins
else
  stage tests tests
  stage documentation env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet
  stage types types
fi
echo "==> $(closing_line)"
echo "==> all passed in $SECONDS s"
