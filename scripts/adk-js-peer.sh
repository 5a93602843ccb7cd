#!/usr/bin/env bash
# Installs ADK for JavaScript for test/peers/adk, in a separate folder since it is large; again when its lockfile changes.
set -euo pipefail
cd "$(dirname "$0")/.."
pins=test/peers/adk/js
folder=.tmp/adk-js-peer
cmp -s "$pins/package-lock.json" "$folder/installed.json" && exit
mkdir -p "$folder"
cp "$pins/package.json" "$pins/package-lock.json" "$folder"
npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
cp "$pins/package-lock.json" "$folder/installed.json"
