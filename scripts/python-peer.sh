#!/usr/bin/env bash
# Installs the Python SDKs of A2A and ADK for test/peers, each in its own environment; again when the pins change.
set -euo pipefail
cd "$(dirname "$0")/.."
for peer in python adk/python; do
  pins=test/peers/$peer/requirements.txt
  environment=.tmp/${peer//\//-}-peer
  cmp -s "$pins" "$environment/requirements.txt" && continue
  python3 -m venv --clear "$environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$pins" >&2
  cp "$pins" "$environment"
done
