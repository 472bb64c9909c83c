#!/bin/sh
# The peers that headcount is measured beside, into bench/.peers (or the folder in HEADCOUNT_PEERS).
# What is there already is kept. What cannot be had is said, and the others are installed all the same.
#
# Everything is built on one core with the lowest priority: oha takes about 12 minutes, all others together 4.
set -u
here=$(cd "$(dirname "$0")" && pwd)
peers=${HEADCOUNT_PEERS:-$here/.peers}
bin=$peers/bin
mkdir -p "$bin"
peers=$(cd "$peers" && pwd)
bin=$peers/bin
missing=

K6=v1.8.1
VEGETA=v12.12.0
OHA=1.16.0

# get NAME: runs get_NAME unless the peer is there.
get() {
  if [ -x "$bin/$1" ]; then
    echo "$1: is there"
  elif "get_$1" > "$peers/$1.log" 2>&1 && [ -x "$bin/$1" ]; then
    echo "$1: installed"
  else
    echo "$1: could not be had; the last lines of $peers/$1.log:"
    tail -n 5 "$peers/$1.log" | sed 's/^/    /'
    missing="$missing $1"
  fi
}

# Only root may ask apt without sudo.
get_wrk() {
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  command -v wrk ||
    { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends wrk; } &&
    ln -sf "$(command -v wrk)" "$bin/wrk"
}

# From a module of its own: `go install` asks for the list of all versions, which not every proxy has.
go_build() {
  mkdir -p "$peers/go-$1"
  cd "$peers/go-$1" || return
  [ -e go.mod ] || go mod init "$1"
  go mod edit -require "$2@$3"
  GOMAXPROCS=1 nice -n 19 go build -mod=mod -p 1 -o "$bin/$1" "$2"
}

get_vegeta() {
  (go_build vegeta github.com/tsenart/vegeta/v12 "$VEGETA")
}

get_k6() {
  (go_build k6 go.k6.io/k6 "$K6")
}

get_locust() {
  python3 -m venv "$peers/locust" &&
    nice -n 19 "$peers/locust/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" &&
    ln -sf "$peers/locust/bin/locust" "$bin/locust"
}

get_oha() {
  nice -n 19 cargo install oha --version "$OHA" --locked --jobs 1 --root "$peers" --target-dir "$peers/oha-build" &&
    rm -rf "$peers/oha-build"
}

get wrk
get vegeta
get locust
get k6
get oha

if [ -n "$missing" ]; then
  echo "not there:$missing. The benches leave them out and say so." >&2
  exit 1
fi
