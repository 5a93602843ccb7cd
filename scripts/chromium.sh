#!/usr/bin/env bash
# Installs Debian's Chromium for the tests in test/browser, if it is missing and the user is root.
set -euo pipefail
command -v chromium >/dev/null && exit 0
[ "$(id -u)" -eq 0 ] || exit 0
apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends chromium >&2
