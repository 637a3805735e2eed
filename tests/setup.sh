#!/usr/bin/env bash
# Installs what the tests need and Debian has, or only the packages that are named. Does nothing
# where it is there already.
set -euo pipefail

wanted() {
  case "$1" in
    chromium) ! command -v chromium ;;
    chromium-driver) ! command -v chromedriver ;;
    fonts-noto-cjk) [ -z "$(find /usr/share/fonts -iname '*cjk*' -print -quit 2>/dev/null)" ] ;;
    fonts-noto-color-emoji) [ -z "$(find /usr/share/fonts -iname '*emoji*' -print -quit 2>/dev/null)" ] ;;
    rabbitmq-server) [ ! -x /usr/lib/rabbitmq/bin/rabbitmq-server ] ;;
    redis-server) ! command -v redis-server ;;
    *) echo "setup.sh does not know $1" >&2; exit 2 ;;
  esac >/dev/null
}

[ $# -gt 0 ] || set -- chromium chromium-driver fonts-noto-cjk fonts-noto-color-emoji \
  rabbitmq-server redis-server
need=()
for package in "$@"; do
  if wanted "$package"; then need+=("$package"); fi
done
[ ${#need[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "this needs: ${need[*]}: install them, or run this as root" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${need[@]}"
