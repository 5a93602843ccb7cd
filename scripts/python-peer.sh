#!/usr/bin/env bash
# The Python SDK of A2A in an environment of its own, for test/peers/python-server.test.ts; made anew when the pins change.
set -euo pipefail
cd "$(dirname "$0")/.."
pins=test/peers/python/requirements.txt
environment=.tmp/python-peer
cmp -s "$pins" "$environment/requirements.txt" && exit
python3 -m venv --clear "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$pins" >&2
cp "$pins" "$environment"
