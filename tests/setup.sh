#!/usr/bin/env bash
# Installs what the tests need and Debian has. Does nothing where it is there already.
set -euo pipefail

need=()
command -v chromium >/dev/null || need+=(chromium)
command -v chromedriver >/dev/null || need+=(chromium-driver)
[ -n "$(find /usr/share/fonts -iname '*cjk*' -print -quit 2>/dev/null)" ] || need+=(fonts-noto-cjk)
[ -n "$(find /usr/share/fonts -iname '*emoji*' -print -quit 2>/dev/null)" ] || need+=(fonts-noto-color-emoji)
[ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] || need+=(rabbitmq-server)
command -v redis-server >/dev/null || need+=(redis-server)
[ ${#need[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "the tests need: ${need[*]} — install them, or run this as root" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${need[@]}"
