#!/usr/bin/env bash
# Delivers orders.
source ./lib/util.sh
. "$(dirname "$0")/other.sh"
. "$ROOT/lib/log.sh"

readonly LIMIT=3 RATE=2
export SHOP_HOME=/srv/shop
TIMEOUT=${TIMEOUT:-30}
count=0

# Delivers one order.
deliver-order() {
  local order="$1"
  MAX=1
  log_line "$(format_order "$order")" | tee -a log
}

function list_orders {
  cat <<EOF
not_a_function() {
EOF
}

if [ -n "$DEBUG" ]; then
  trace() { set -x; }
else
  trace() ( : )
fi

deliver-order "$@" > out.log
