#!/bin/sh
# Installs the dependencies of the end-to-end tests besides Rust: Node packages and a Python environment, both with
# pinned versions in this folder. Also installs the packages that build the editor's page and test it in a browser.
set -eu
cd "$(dirname "$0")"
npm ci --silent
npm ci --silent --prefix ../systems/editor/page
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --requirement requirements.txt
