#!/bin/bash
# Is the service of this container ready? With another path: what it says there.
set -euo pipefail

exec 3<>"/dev/tcp/127.0.0.1/${PORT:-8080}"
printf 'GET %s HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n' "${1:-/readyz}" >&3
answer=$(cat <&3)
printf '%s\n' "${answer##*$'\r\n\r\n'}"
[[ $answer == HTTP/1.1\ 200* ]]
