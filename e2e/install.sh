#!/bin/sh
# Installs what the end-to-end tests need beside Rust: Node packages and a Python environment, both pinned, both in this folder.
set -eu
cd "$(dirname "$0")"
npm ci --silent
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --requirement requirements.txt
