#!/bin/sh
# Installs what the end-to-end tests need beside Rust: Node packages and a Python environment, both pinned, both in this folder;
# and the packages that build the editor's page and drive a browser through it.
set -eu
cd "$(dirname "$0")"
npm ci --silent
npm ci --silent --prefix ../systems/editor/page
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --requirement requirements.txt
