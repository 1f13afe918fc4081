#!/bin/sh
# The examples of the manual do what it says. A comment in the page, before a literal block or behind it, says what is to be done:
#
#   .\" run REGEX                    the block (or the .Dl line) is shell; what it prints matches. One shell runs all of a page, in order
#   .\" row                          the block is a row as JSON; it is stored
#   .\" map KEY                      the block is a target map; a row KEY is made around it
#   .\" templates                    the block is a table: position, template, argument string, what comes out
#   .\" conf                         the block is a configuration that rowcalld takes
#   .\" call KEY ARGS => REGEX       the result of that call matches (ARGS: an argument string, or named arguments as {…})
#   .\" shape KEY ARGS => REGEX      what a dry run answers matches
#
# Every literal block of an EXAMPLES section has one, so that none is forgotten.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start || bail "the service did not start"
mkdir "$TMP/work" && cd "$TMP/work" || bail "no folder to work in"
# What the examples find around them.
ln -s "$DIR" instance
echo '[{"key":"LOADED","type":"fn","target":"echo","content":"# WHAT: a loaded row","examples":[""]}]' >rows.json
PATH=$BUILD:$PATH

# Writes each example of a page into a file of its own, $TMP/ex/NNN: a line with what is to be done, then the block without roff's escapes.
extract()
{
	rm -rf "$TMP/ex"
	mkdir "$TMP/ex"
	perl -e '
		my ($dir, $page) = @ARGV;
		my ($n, $todo, $block, $section, $in) = (0, undef, "", "", 0);
		sub put { open my $o, ">", sprintf("%s/%03d", $dir, ++$n); print $o @_ }
		sub plain { my ($t) = @_; $t =~ s/\\\n//g; $t =~ s/\\&//g; $t =~ s/\\\(dq/"/g; $t =~ s/\\e/\\/g; $t }
		open my $f, "<", $page or die;
		while (<$f>) {
			if (/^\.Ed$/ && $in) {
				put(($todo // "forgotten") . "\n", plain($block)) if defined $todo || $section eq "EXAMPLES";
				($todo, $in) = (undef, 0);
			} elsif ($in) { $block .= $_ }
			elsif (/^\.Bd -literal/) { ($block, $in) = ("", 1) }
			elsif (/^\.Dl (.*)/s && defined $todo) { put("$todo\n", plain($1)); $todo = undef }
			elsif (/^\.\\" ((?:call|shape) .*)$/) { put("$1\n") }
			elsif (/^\.\\" ((?:run|row|map|templates|conf)\b.*)$/) { $todo = $1 }
			elsif (/^\.Sh (.*)$/) { $section = $1 }
		}' "$TMP/ex" "$1"
}

# Runs the shell examples of the page in one shell; what each prints goes into its file with ".out", its exit status into ".rc".
run_all()
{
	for ex in "$TMP"/ex/*; do
		case $(head -1 "$ex") in
		run*) printf '{\n%s\n} >%s.out 2>&1\necho $? >%s.rc\n' "$(sed "1d; s|https://localhost:8443|$BASE|" "$ex")" "$ex" "$ex" ;;
		esac
	done >"$TMP/script"
	sh "$TMP/script"
}

do_run()
{
	is "$(cat "$1.rc" 2>/dev/null)" 0 "$page: $(sed -n 2p "$1")"
	[ "$2" = run ] || like "$(tr '\n' ' ' <"$1.out")" "${2#run }" "$page: … and prints what it should"
}

# Called with KEY and ARGS; true or false for shape.
dispatch()
{
	case $2 in
	'{'*) owner POST /api/dispatch "$(jq -nc --arg k "$1" --argjson a "$2" --argjson s "$3" '{key:$k,args:$a,shape:$s}')" ;;
	*) owner POST /api/dispatch "$(jq -nc --arg k "$1" --arg b "$2" --argjson s "$3" '{key:$k,body:$b,shape:$s}')" ;;
	esac >/dev/null
}

# Sets verb KEY, ARGS, REGEX of a line "KEY ARGS => REGEX".
split_call() { c_key=${1%% *} c_rest=${1#* } c_want=${1##* => }; c_args=${c_rest%" => $c_want"}; }

do_call() { split_call "$1"; dispatch "$c_key" "$c_args" false; like "$(jq_get .result)" "$c_want" "$page: [$c_key]$c_args[/$c_key]"; }
# What a dry run shows without a row's "result", which has the same in a string.
do_shape() { split_call "$1"; dispatch "$c_key" "$c_args" true; like "$(jq -c 'del(.result)' "$BODY")" "$c_want" "$page: [$c_key]$c_args[/$c_key], built and not sent"; }

do_row()
{
	owner POST /api/directory "$(cat "$TMP/block")" >/dev/null
	is "$(status)" 201 "$page: the row $(jq -r .key "$TMP/block") is stored"
	unlike "$(cat "$BODY")" '"error"' "$page: … and nothing is wrong with it"
}

do_map()
{
	owner PUT "/api/directory/$1" "$(jq -nc --rawfile t "$TMP/block" '{type:"http",target:$t,content:"# WHAT: a target map",examples:["get|7"]}')" >/dev/null
	like "$(status) $(cat "$BODY")" '^20[01] ' "$page: the target map of $1 is stored"
}

do_conf()
{
	cp "$TMP/block" "$TMP/example.conf"
	ok "$page: rowcalld takes the configuration" rowcalld -n -c "$TMP/example.conf" -o "secrets_file=$DIR/secrets.env" -o "data_dir=$TMP/work" \
		-o "run_dir=$TMP/work" -o socket_group= -o "migrations_dir=$SOURCE/migrations"
}

# A row in which the template stands at its position; what a dry run makes of it.
built()
{
	case $1 in
	path | query) owner PUT /api/directory/T_TEMPLATE "$(jq -nc --arg t "GET https://api.example.org$2" '{type:"http",target:$t,content:"# WHAT: a template",examples:[""]}')" ;;
	*) owner PUT /api/directory/T_TEMPLATE "$(jq -nc --arg c "# WHAT: a template
$2" '{type:"http",target:"POST https://api.example.org/",content:$c,examples:[""]}')" ;;
	esac >/dev/null
	dispatch T_TEMPLATE "$3" true
	jq -r '.error // (if .shaped.body then .shaped.body else .shaped.url[("https://api.example.org" | length):] end)' "$BODY"
}

do_templates()
{
	sed 's/   */	/g' "$TMP/block" >"$TMP/table"
	while IFS='	' read -r t_at t_template t_args t_want; do
		is "$(built "$t_at" "$t_template" "$t_args")" "$t_want" "$page: $t_at $t_template with $t_args"
	done <"$TMP/table"
}

for file in "$SOURCE"/man/*.[1-9]; do
	page=${file##*/}
	extract "$file"
	examples=$(ls "$TMP/ex")
	[ -n "$examples" ] || continue
	run_all
	for n in $examples; do
		ex=$TMP/ex/$n
		todo=$(head -1 "$ex")
		sed 1d "$ex" >"$TMP/block"
		case $todo in
		run*) do_run "$ex" "$todo" ;;
		row) do_row ;;
		map*) do_map "${todo#map }" ;;
		templates) do_templates ;;
		conf) do_conf ;;
		call*) do_call "${todo#call }" ;;
		shape*) do_shape "${todo#shape }" ;;
		*) fail "$page: an example is $todo"; diag "$(cat "$TMP/block")" ;;
		esac
	done
done
ok "there were examples" [ "$tap_n" -gt 40 ]

cd / && rc_stop
is "$rc_exit" 0 "the service stops cleanly"
done_testing
