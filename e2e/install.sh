#!/bin/sh
# Installs the dependencies of the end-to-end tests besides Rust: Node packages and a Python environment, both with
# pinned versions in this folder. Also installs the packages that build the pages of the editor, the transcription service
# and the report, and test them in a browser.
set -eu
cd "$(dirname "$0")"
npm ci --silent
npm ci --silent --prefix ../systems/editor/page
npm ci --silent --prefix ../systems/transcription/page
npm ci --silent --prefix ../crates/report/page
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --requirement requirements.txt
