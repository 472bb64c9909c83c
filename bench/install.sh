#!/bin/sh
# Installs the tools that headcount is compared with into bench/.peers (or the folder in
# HEADCOUNT_PEERS). Keeps installed tools. If one cannot be installed, reports it and continues with
# the others.
#
# Everything is built on one core with the lowest priority: oha takes about 12 minutes, Goose 8, all others together 5.
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
HEY=v0.1.5
NATS=v0.5.1
OHA=1.16.0
AUTOCANNON=9.0.0
ARTILLERY=2.0.21 # the newest that runs under Node 20
WS=8.23.0

# get NAME: runs get_NAME unless the tool is installed.
get() {
  if [ -x "$bin/$1" ]; then
    echo "$1: already installed"
  elif "get_$(echo "$1" | tr - _)" > "$peers/$1.log" 2>&1 && [ -x "$bin/$1" ]; then
    echo "$1: installed"
  else
    echo "$1: could not be installed; the last lines of $peers/$1.log:"
    tail -n 5 "$peers/$1.log" | sed 's/^/    /'
    missing="$missing $1"
  fi
}

# apt_get PROGRAM PACKAGE. Only root may run apt without sudo.
apt_get() {
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  PATH=$PATH:/usr/sbin
  command -v "$1" ||
    { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$2"; } &&
    ln -sf "$(command -v "$1")" "$bin/$1"
}

get_wrk() {
  apt_get wrk wrk
}

get_redis_benchmark() {
  apt_get redis-benchmark redis-tools
}

# Not a tool, but the target of `bench http`.
get_nginx() {
  apt_get nginx nginx-light
}

# Builds from a separate module, because `go install` requests the list of all versions, which some
# proxies lack.
go_build() {
  mkdir -p "$peers/go-$1"
  cd "$peers/go-$1" || return
  [ -e go.mod ] || go mod init "$1"
  go mod edit -require "$2@$3"
  GOMAXPROCS=1 nice -n 19 go build -mod=mod -p 1 -o "$bin/$1" "$2${4:-}"
}

get_vegeta() {
  (go_build vegeta github.com/tsenart/vegeta/v12 "$VEGETA")
}

get_hey() {
  (go_build hey github.com/rakyll/hey "$HEY")
}

get_nats() {
  (go_build nats github.com/nats-io/natscli "$NATS" /nats)
}

get_k6() {
  (go_build k6 go.k6.io/k6 "$K6")
}

get_locust() {
  python3 -m venv --clear "$peers/locust" &&
    nice -n 19 "$peers/locust/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" &&
    ln -sf "$peers/locust/bin/locust" "$bin/locust"
}

get_oha() {
  nice -n 19 cargo install oha --version "$OHA" --locked --jobs 1 --root "$peers" --target-dir "$peers/oha-build" &&
    rm -rf "$peers/oha-build"
}

# Installs without the packages' scripts, which would download browsers.
npm_get() {
  nice -n 19 npm install --prefix "$peers/node-$1" --no-save --ignore-scripts --no-audit --no-fund "$1@$2"
}

get_autocannon() {
  npm_get autocannon "$AUTOCANNON" && ln -sf "$peers/node-autocannon/node_modules/.bin/autocannon" "$bin/autocannon"
}

get_artillery() {
  npm_get artillery "$ARTILLERY" && ln -sf "$peers/node-artillery/node_modules/.bin/artillery" "$bin/artillery"
}

# A library without a program: `bin/ws` is its folder, which `peers/ws.js` uses.
get_ws() {
  npm_get ws "$WS" && ln -sfn "$peers/node-ws/node_modules" "$bin/ws"
}

# Goose is a library too. It is built from a copy, so that nothing is left among the sources.
get_goose() {
  rm -rf "$peers/goose-build" && cp -R "$here/peers/goose" "$peers/goose-build" &&
    (cd "$peers/goose-build" && nice -n 19 cargo build --release --jobs 1) &&
    cp "$peers/goose-build/target/release/goose-peer" "$bin/goose" && rm -rf "$peers/goose-build"
}

get nginx
get wrk
get vegeta
get hey
get locust
get k6
get nats
get redis-benchmark
get ws
get autocannon
get artillery
get oha
get goose

if [ -n "$missing" ]; then
  echo "not installed:$missing. The benches report them as missing." >&2
  exit 1
fi
