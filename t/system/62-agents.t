#!/bin/sh
# Many agents wait for a slow model: the workers go on with everything else, and each agent gets its answer.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

AGENTS=500 CALLS=50
chat_start
mkdir -p "$TMP/instance"
cat >"$TMP/instance/rowcall.conf" <<EOF
data_dir = .
run_dir = run
secrets_file = secrets.env

[model "*"]
base_url = http://$CHAT/v1
EOF
rc_start --allow-upstream "$CHAT" --set trace_timeout=280s --set model_timeout=270s || bail "the service did not start"
owner POST /api/directory "$(jq -nc '{key:"WAITS",type:"agent",target:"m",allowed_categories:"*",
	content:"SCRIPT\n!hold [ECHO]x[/ECHO]\n--\n[REPLY]was worth it[/REPLY]"}')" >/dev/null
is "$(status)" 201 "an agent whose model does not answer yet"

perl "$SOURCE/t/crowd.pl" "$HTTP" $AGENTS 280 'was worth it' POST /api/dispatch '{"key":"WAITS","body":"hi"}' "x-terminal-key: $KEY" >"$TMP/crowd" &
crowd=$!
extra_pids="${extra_pids:-} $crowd"
for _ in $(seq 600); do [ "$(wc -l <"$CHAT_LOG")" -ge $AGENTS ] && break; sleep 0.2; done
is "$(wc -l <"$CHAT_LOG")" $AGENTS "$AGENTS calls of it wait for the model at the same time"
for _ in $(seq $CALLS); do
	curl -sS -m 10 -o /dev/null -w '%{http_code}\n' -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"key":"NOW"}' "$HTTP/api/dispatch"
done >"$TMP/now" 2>&1
is "$(sort "$TMP/now" | uniq -c | tr -s ' ')" " $CALLS 200" "meanwhile $CALLS calls of NOW are answered"
is "$(wc -l <"$TMP/crowd")" 0 "… while all of them still wait"
: >"$CHAT_LOG.go"
wait $crowd
is "$(sort "$TMP/crowd" | uniq -c | tr -s ' ')" " $AGENTS 200 was worth it" "then every agent gets its answer, runs its call and replies"
rc_stop
is "$rc_exit" 0 "and the service stops cleanly"
done_testing
