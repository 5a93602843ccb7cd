#!/usr/bin/env bash
# Debian's Chromium, for the tests in test/browser, where it is missing and may be installed.
set -euo pipefail
command -v chromium >/dev/null && exit 0
[ "$(id -u)" -eq 0 ] || exit 0
apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends chromium >&2
