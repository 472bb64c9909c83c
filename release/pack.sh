#!/usr/bin/env bash
# Packs a built binary for release: ./release/pack.sh TARGET makes dist/headcount-VERSION-TARGET.tar.gz with the binary,
# its shell completions, its manual pages and the licences, and a file with the archive's SHA-256.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?usage: release/pack.sh TARGET}
binary=target/$target/release/headcount
version=$("$binary" --version | cut -d' ' -f2)
name=headcount-$version-$target
folder=dist/$name

rm -rf "$folder"
mkdir -p "$folder/completions"
cp "$binary" README.md CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT "$folder"
for shell in bash zsh fish; do
  "$binary" completions "$shell" > "$folder/completions/headcount.$shell"
done
"$binary" man "$folder/man"
tar -C dist -czf "dist/$name.tar.gz" "$name"
rm -rf "$folder"
(cd dist && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
