#!/bin/sh
# Exec rows: which programs run, what they get, how they end, and what is left of them.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

E=$TMP/exec.d
mkdir -p "$E/sub" && chmod 755 "$E"
# program NAME: its text from standard input.
program() { cat >"$E/$1"; chmod 755 "$E/$1"; }
program args <<'EOF'
#!/bin/sh
for a; do printf '<%s>' "$a"; done
EOF
program env <<'EOF'
#!/bin/sh
env | grep -v '^\(PWD\|OLDPWD\|SHLVL\|_\)=' | sort | tr '\n' ' '; pwd; read x || echo empty
EOF
printf '#!/bin/sh\necho out; echo "first line" >&2; echo "no such thing" >&2; exit 3\n' | program fails
printf '#!/bin/sh\nkill -SEGV $$\n' | program crashes
printf '#!/bin/sh\nprintf "\\211PNG\\000\\377"\n' | program binary
printf '#!/bin/sh\nprintf "caf\\303\\251 \\303"\n' | program invalid
printf '#!/bin/sh\nyes | head -c 30000\n' | program long
printf '#!/bin/sh\nyes >&2\n' | program noisy
cat >"$E/clings" <<EOF
#!/bin/sh
trap '' TERM
sleep 1000 & echo \$! >>"$TMP/left"
setsid sleep 1000 & echo \$! >>"$TMP/left"
(setsid sh -c 'sleep 1000 & echo \$! >>"$TMP/left"; exit' &)
echo hi
[ "\$1" = end ] && { sleep 0.2; exit 0; }
wait
EOF
chmod 755 "$E/clings"
printf '#!/usr/bin/perl\nuse Socket; print socket(my $s, PF_INET, SOCK_STREAM, 0) ? "open" : "denied: $!", " "; print socket($s, PF_INET6, SOCK_DGRAM, 0) ? "open" : "denied", " "; print socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un($ARGV[0])) ? "connected" : "no";\n' | program network
printf '#!/usr/bin/perl\nuse Socket; fork and exit(wait * 0) if $ARGV[1]; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die $!; print sysread($s, my $b, 1) == 0 ? "shut" : "open";\n' | program writes
printf '#!/bin/sh\nsleep "$1"; echo slept\n' | program sleeps
printf '#!/usr/bin/perl\nmy $x = "x" x 300_000_000; print length $x;\n' | program eats
printf 'no interpreter line, no program\n' | program text
printf '#!/bin/sh\necho secret\n' >"$TMP/outside"; chmod 755 "$TMP/outside"
ln -s "$TMP/outside" "$E/link-out"
ln -s args "$E/link-in"
printf '#!/bin/sh\necho x\n' >"$E/plain"; chmod 644 "$E/plain"
printf '#!/bin/sh\necho x\n' | program shared; chmod 775 "$E/shared"

rc_start --set "exec_dir=$E" --set exec_timeout=2s --set max_exec_output=10K --set exec_parallel=4 --set exec_memory=256M || bail "the service did not start"
printf 'PROGRAM_SECRET=program-secret-canary\n' >>"$DIR/secrets.env"

# row KEY PROGRAM [AUTH [TEMPLATE]]
row()
{
	owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" --arg a "${3-}" --arg c "# WHAT: a program of the test
${4-}" '{type:"fn",runner:"exec",target:$t,auth:$a,content:$c,examples:["x"]}')" >/dev/null
}
call() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "${2-}" '{key:$k,body:$b}')" >/dev/null; jq_get .result; }
array() { owner POST /api/dispatch "$(jq -nc --arg k "$1" --argjson a "$2" '{key:$k,args:$a}')" >/dev/null; jq_get .result; }

is "$(pids_of exec | wc -l)" 1 "there is one process rowcalld: exec"

# Arguments.
row ARGS args
is "$(call ARGS 'a|b c|')" '<a><b c><>' "the arguments are the program's"
is "$(call ARGS)" '' "an empty body is no argument"
is "$(array ARGS '[""]')" '<>' "… an empty argument of an array is one"
# shellcheck disable=SC2016
for v in '--upload-pack=x' '-o/x' ';id' '$(id)' '`id`' 'a
b' '*' '"' "'" '\' 'p|q'; do
	is "$(array ARGS "$(jq -nc --arg v "$v" '[$v]')")" "<$v>" "no shell sees $(printf '%s' "$v" | tr '\n' ' ')"
done
row DASH args '' '["--","$1"]'
is "$(call DASH '-x')" '<--><-x>' "a template puts -- before what the caller gives"
long=$(head -c 131071 /dev/zero | tr '\0' '~')     # no secret begins so: at a cut, what may be the beginning of one goes
printf '{"key":"ARGS","args":["%s"]}' "$long" >"$TMP/long"
owner POST /api/dispatch "@$TMP/long" >/dev/null
is "$(status),$(jq_get '.result | length')" "200,10261" "an argument of 131,071 bytes is passed (and its output cut)"
printf '{"key":"ARGS","args":["%sa"]}' "$long" >"$TMP/long"
owner POST /api/dispatch "@$TMP/long" >/dev/null
is "$(status),$(jq_get .error),$(jq_get .ran)" 413,args_too_long,false "one of 131,072 is 413"
owner POST /api/dispatch "$(jq -nc '{key:"ARGS",args:[range(256)|"x"]}')" >/dev/null
is "$(status)" 200 "256 arguments are passed"
owner POST /api/dispatch "$(jq -nc '{key:"ARGS",args:[range(257)|"x"]}')" >/dev/null
is "$(status),$(jq_get .error)" 413,args_too_long "257 are 413"
owner POST /api/dispatch '{"key":"ARGS","args":["a\u0000b"]}' >/dev/null
is "$(status),$(jq_get .error)" 422,args_invalid "NUL is refused"

# Environment.
row ENV env
is "$(call ENV)" 'HOME=/ LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /
empty' "a clean environment, the folder /, no input"
row SECRET env bearer:PROGRAM_SECRET
owner POST /api/dispatch '{"key":"SECRET","body":""}' -H 'Proxy: http://127.0.0.1:9' >/dev/null
like "$(jq_get .result)" 'PROGRAM_SECRET=\[redacted:PROGRAM_SECRET\]' "the variable that auth names is there, and redacted from the result"
unlike "$(jq_get .result)" 'HTTP_PROXY|127\.0\.0\.1:9|TERMINAL_KEY' "… and nothing else of the request or the service"
row ABSENT env bearer:NOT_SET
owner POST /api/dispatch '{"key":"ABSENT","body":"","shape":true}' >/dev/null
is "$(jq_get '.shaped | tojson')" '{"program":"env","args":[],"environment":["NOT_SET"],"notes":["credential_missing:NOT_SET"]}' "a dry run shows program, arguments and names"

printf 'LONG_SECRET=a-long-secret-canary-of-forty-characters\n' >>"$DIR/secrets.env"
printf '#!/bin/sh\nhead -c 10220 /dev/zero | tr "\\0" x; echo "$LONG_SECRET"; yes | head -c 30000\n' | program straddles
row STRADDLES straddles bearer:LONG_SECRET
like "$(call STRADDLES | tail -c 40)" 'x…\[cut at 10240 bytes\]$' "of a secret that is cut nothing stays"

# Ends.
row FAILS fails
is "$(call FAILS)" 'ERR:exec:exit:3:first line
no such thing' "an exit code is an error with what was said"
row CRASHES crashes
is "$(call CRASHES)" 'ERR:exec:exit:139:' "a signal is 128 and its number"
row TEXT text
like "$(call TEXT)" '^ERR:exec:exit:126:cannot be run: Exec format error' "what is no program is told"
row BINARY binary
is "$(call BINARY)" "data:application/octet-stream;base64,$(printf '\211PNG\000\377' | base64)" "output that is no text is a data: URI"
row INVALID invalid
like "$(call INVALID)" '^caf|^data:' "malformed text does not poison the answer"
ok "… which is JSON" jq -e . "$BODY"
row LONG long
like "$(call LONG | tail -c 40)" '\[cut at 10240 bytes\]' "output over the cap is cut"
row NOISY noisy
is "$(call NOISY)" 'ERR:exec:timeout' "a program that only complains ends at its time"
row EATS eats
like "$(call EATS)" '^ERR:exec:exit:' "a program over its memory fails"
row NET network
is "$(call NET "$DIR/run/none.sock")" 'denied: Permission denied denied no' "a program opens no network connection"

row WRITES writes
is "$(call WRITES "$DIR/run/writer.sock"),$(call WRITES "$DIR/run/writer.sock|1"),$(call WRITES "$DIR/run/exec.sock")" shut,shut,shut "the writer and the exec process do not listen to a program, nor to its children"
like "$(cat "$DIR"/log/rowcalld.log)" 'process [0-9]* of user [0-9]* may not write' "… which is logged"

# What is left.
row CLINGS clings
t=$(date +%s)
is "$(call CLINGS)" 'ERR:exec:timeout' "a program with children that hold its output ends at its time"
ok "… not much later" [ "$(($(date +%s) - t))" -lt 12 ]
gone() { for p in $(cat "$TMP/left"); do kill -0 "$p" 2>/dev/null && return 1; done; [ "$(wc -l <"$TMP/left")" -ge 3 ]; }
wait_gone() { i=0; until gone; do i=$((i + 1)); [ $i -lt 50 ] || return 1; sleep 0.1; done; }
ok "none of its children is left, not even those with a session of their own" wait_gone
: >"$TMP/left"
is "$(call CLINGS end)" hi "one that ends in time leaves none either"
ok "… of its children" wait_gone

# Programs that do not run.
try() { row TRY "$1"; is "$(call TRY)" "$2" "$3"; }
try nothing ERR:exec:not_found "a program that is not there"
try link-out ERR:exec:outside_folder "a link out of the folder"
try link-in '' "a link inside it runs"
try plain ERR:exec:not_executable "a file that is not executable"
try sub ERR:exec:not_executable "a folder"
try shared ERR:exec:not_safe "a program that a group may write"
try ../outside ERR:exec:bad_name:../outside "a path"
try .hidden ERR:exec:bad_name:.hidden "a name with a dot before it"

# Many at a time.
row SLEEPS sleeps
for i in 1 2 3 4 5 6 7 8; do
	curl -sk "$BASE/api/dispatch" -H "x-terminal-key: $KEY" -H 'content-type: application/json' -d '{"key":"SLEEPS","body":"1"}' -o "$TMP/many.$i" &
	pids="${pids-} $!"
done
# shellcheck disable=SC2086
wait $pids
is "$(jq -r '.result | rtrimstr("\n")' "$TMP"/many.* | sort | uniq -c | tr -s ' ' | tr '\n' ';')" ' 4 ERR:exec:busy; 4 slept;' "exec_parallel run, more are told that it is busy"

# The process.
old=$(pids_of exec)
kill -9 "$old"
i=0; until [ -n "$(pids_of exec)" ] && [ "$(pids_of exec)" != "$old" ]; do i=$((i + 1)); [ $i -lt 100 ] || break; sleep 0.1; done
is "$(call ARGS x)" '<x>' "a killed exec process is replaced"
owner GET '/api/dispatch?ledger=1&key=CLINGS&limit=1' >/dev/null
is "$(jq_get '.rows[0].runner')" exec "receipts name the runner"
like "$(owner GET '/api/dispatch?key=ARGS&format=markdown')" 'exec' "an exec row has a contract document"
chmod 775 "$E"
kill -HUP "$MASTER"
i=0; until [ "$(call ARGS x)" = ERR:exec:folder_not_safe ]; do i=$((i + 1)); [ $i -lt 50 ] || break; sleep 0.1; done
is "$(call ARGS x)" ERR:exec:folder_not_safe "after a reload a folder that others may write is refused as a whole"

# The programs and rows that come along.
rc_stop
DIR=$TMP/second
rc_start || bail "the second service did not start"
for k in DISK_USAGE LOG_TAIL CERTIFICATE_EXPIRY; do
	is "$(api GET "/api/directory/$k" >/dev/null; status)" 404 "$k is disabled at first"
	owner PATCH "/api/directory/$k" '{"enabled":1}' >/dev/null
done
ok "DISK_USAGE tells what the data takes" jq -e '.result | fromjson | .used_kib > 0 and .free_kib > 0' <<EOF
$(owner POST /api/dispatch '{"key":"DISK_USAGE","body":""}')
EOF
ok "CERTIFICATE_EXPIRY tells how long it is valid" jq -e '.result | fromjson | .days_left > 0' <<EOF
$(owner POST /api/dispatch '{"key":"CERTIFICATE_EXPIRY","body":""}')
EOF
owner POST /api/dispatch '{"key":"LOG_TAIL","body":"2"}' >/dev/null
is "$(jq_get '.result | rtrimstr("\n") | split("\n") | length')" 2 "LOG_TAIL gives as many lines as are asked for"
owner POST /api/dispatch '{"key":"LOG_TAIL","body":"-f"}' >/dev/null
is "$(status),$(jq_get .error)" 422,args_invalid "… and takes nothing but a number"
done_testing
