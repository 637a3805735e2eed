#!/bin/sh
# Makes the secrets that compose.yaml needs, each once: deploy/secrets/ (or the folder that is
# named). What is there already stays.
#
# Only the folder is closed to others: containers see single files of it, with the rights that
# these have here, and read them as users of their own.
set -eu

folder=${1:-$(dirname "$0")/secrets}
umask 077
mkdir -p "$folder"
chmod 0700 "$folder"
for name in broker-password redis-password onebot-token playground-token; do
  if [ ! -s "$folder/$name" ]; then
    head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$folder/$name"
    chmod 0444 "$folder/$name"
    echo "made $folder/$name"
  fi
done
