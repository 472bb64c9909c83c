#!/bin/sh
# Makes the picture of the README: runs trades.ts against the built-in marketplace, and takes a screenshot of the report's
# first screen. Needs two idle cores, Chromium, and the packages of crates/report/page (`npm ci` there).
#
#     sh docs/picture/make.sh                  builds headcount first
#     sh docs/picture/make.sh HEADCOUNT        uses this program
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ $# -gt 0 ]; then
  headcount=$(realpath "$1")
else
  (cd "$root" && cargo build --release --locked -q -p headcount)
  headcount="${CARGO_TARGET_DIR:-$root/target}/release/headcount"
fi
folder=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT

taskset -c 0 "$headcount" serve marketplace --listen 127.0.0.1:0 --hash bcrypt --bcrypt-cost 4 --log warn \
  --rate-limit-bypass-ips 127.0.0.0/8 --admin-email admin@market.test --admin-password "correct horse" >"$folder/said" &
server=$!
tries=0
until grep -q "listening on" "$folder/said"; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "the marketplace did not start" >&2; exit 1; }
  sleep 0.1
done
url=$(sed -n 's/^listening on \(http:[^ ]*\).*/\1/p' "$folder/said")

# 99: the run fails, because it goes beyond the limit.
code=0
taskset -c 1 "$headcount" run "$here/trades.ts" --root "$root" --target "$url" --workers 1 --cores 1 --quiet \
  --out "$folder/run" || code=$?
[ "$code" -eq 99 ] || { echo "expected a run that fails at its highest load, but the exit code was $code" >&2; exit 1; }
node "$here/screenshot.mjs" "$folder/run/report.html" "$root/docs/report.webp"
