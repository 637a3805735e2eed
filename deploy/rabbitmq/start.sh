#!/bin/sh
# start.sh PASSWORD-FILE DEFINITIONS FOLDER COMMAND…
#
# A broker that loads definitions makes no user of its own. So this lays the product's
# definitions and one for our user, with the password from that file, into a folder that is to be
# in memory, and becomes the command, whose `load_definitions` names the folder. The broker reads
# them at every start: a new password holds from the next start on.
set -eu

file=$1 definitions=$2 folder=$3
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
cp "$definitions" "$folder/1-product.json"
cat >"$folder/2-user.json" <<JSON
{
  "users": [
    {"name": "duskgate", "password": "$password", "tags": ""}
  ],
  "permissions": [
    {"user": "duskgate", "vhost": "duskgate",
     "configure": "^duskgate", "write": "^duskgate", "read": "^duskgate"}
  ]
}
JSON
# As root in the broker's image, which then goes on as this user.
if [ "$(id -u)" = 0 ] && id rabbitmq >/dev/null 2>&1; then
  chown -R rabbitmq "$folder"
fi
exec "$@"
