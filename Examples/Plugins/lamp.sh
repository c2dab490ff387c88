#!/bin/sh
# A plugin in POSIX shell: one lamp, stored in a file that contains "true" or "false". Documentation/Plugins.md describes the
# protocol.
#
#   - driver: plugin
#     id: shell
#     command: [/usr/share/doc/lamplighter/examples/lamp.sh, /run/lamp]
#
# Test it without the bridge: lamplighter plugin test Examples/Plugins/lamp.sh /tmp/lamp
#
# The host writes JSON without spaces, with members in the order jsonrpc, id, method, params, so that a shell can parse it.
# Use a language with a JSON parser for a plugin that does more.
file=$1

say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
answer() { say "\"id\":$id,\"result\":$1"; }
refuse() { say "\"id\":$id,\"error\":{\"code\":$1,\"message\":\"$2\"}"; }
tell_state() { # $1: further parameters, such as ,"cause":3
    on=false
    read -r on 2>/dev/null <"$file"
    [ "$on" = true ] || on=false
    say "\"method\":\"lights/state\",\"params\":{\"id\":\"lamp\",\"on\":$on$1}"
}

while IFS= read -r line; do
    case $line in
    '{"jsonrpc":"2.0","id":'*'"method":"'*) ;;
    *) continue ;; # not a request
    esac
    rest=${line#'{"jsonrpc":"2.0","id":'}
    id=${rest%%,*}
    rest=${rest#*'"method":"'}
    method=${rest%%\"*}
    params=${rest#*'"params":'}
    case $method in
    lights/set | lights/identify)
        case $params in
        '{"id":"lamp"'*) ;;
        *) refuse -32001 "no such light" && continue ;;
        esac
        ;;
    esac
    case $method in
    hello)
        answer '{"protocol":1,"name":"lamp.sh","version":"1","capabilities":["cause"]}'
        # Send the light before its state.
        say '"method":"lights/added","params":{"id":"lamp","name":"Shell Lamp","caps":{}}'
        tell_state ''
        ;;
    lights/set)
        case $params in
        *'"on":true'*) written=true ;;
        *'"on":false'*) written=false ;;
        *) written= ;;
        esac
        if [ -n "$written" ] && ! echo "$written" >"$file"; then
            refuse -32002 "the file can't be written"
            continue
        fi
        cause=${params##*'"cause":'}
        answer '{}'
        # Report the resulting state, with the cause of this command.
        tell_state ",\"cause\":${cause%%[!0-9]*}"
        ;;
    lights/refresh)
        answer '{}'
        tell_state ''
        ;;
    lights/identify) refuse -32004 "a file can't blink" ;;
    ping) answer '{}' ;;
    shutdown)
        answer '{}'
        exit 0
        ;;
    *) refuse -32601 "no such method" ;;
    esac
done
# Standard input has ended, because the bridge has stopped.
