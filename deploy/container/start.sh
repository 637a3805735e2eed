#!/bin/sh
# duskgate in a container. Where the addresses of broker and Redis are not given as variables,
# they are made from the passwords that are there as secrets, and the places that are named here.
set -eu

secrets=${SECRETS:-/run/secrets}

# A password stands in an address: nothing in it may need another spelling there.
password() {
  text=$(cat "$secrets/$1")
  case $text in
    '' | *[!A-Za-z0-9._~-]*)
      echo "$1: letters, digits and ._~- only, and not nothing" >&2
      exit 2
      ;;
  esac
  printf %s "$text"
}

if [ -z "${DUSKGATE_BUS_URL:-}" ] && [ -e "$secrets/broker-password" ]; then
  word=$(password broker-password)
  export DUSKGATE_BUS_URL="amqp://duskgate:$word@${BROKER:-rabbitmq:5672}/duskgate"
fi
if [ -z "${DUSKGATE_STORE_URL:-}" ] && [ -e "$secrets/redis-password" ]; then
  word=$(password redis-password)
  export DUSKGATE_STORE_URL="redis://:$word@${REDIS:-redis:6379}"
fi

exec duskgate "$@"
