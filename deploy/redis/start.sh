#!/bin/sh
# start.sh PASSWORD-FILE SETTINGS FOLDER COMMAND…
#
# Redis with our settings, for other containers, and with the password from that file. What holds
# the password lies in a folder that is to be in memory. Becomes the command, which is given the
# settings to use.
set -eu

file=$1 settings=$2 folder=$3
shift 3
password=$(cat "$file")
case $password in
  '' | *[!A-Za-z0-9._~-]*)
    echo "$file: letters, digits and ._~- only, and not nothing" >&2
    exit 2
    ;;
esac

umask 077
mkdir -p "$folder"
{
  echo "include $settings"
  echo "bind * -::*"
  echo "requirepass $password"
} >"$folder/redis.conf"
# As root in Redis's image, which then goes on as this user.
if [ "$(id -u)" = 0 ] && id redis >/dev/null 2>&1; then
  chown -R redis "$folder"
fi
exec "$@" "$folder/redis.conf"
