#!/bin/sh
# The manual says what the program has, and has what the manual says: pages, settings, error codes, routes, functions.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

cd "$SOURCE" || bail "no source folder"
API=man/rowcall-api.7 ROW=man/rowcall-row.5 CONF=man/rowcall.conf.5

# Lines of the first list that are not in the second.
only_in() { printf '%s\n' "$1" | sort -u >"$TMP/a"; printf '%s\n' "$2" | sort -u >"$TMP/b"; comm -23 "$TMP/a" "$TMP/b"; }
# Fails with a list of what is wrong, passes when there is nothing; a list that was to be looked through must not be empty.
none() { is "$1" '' "$2"; }
some() { ok "$2: there are some to look at" [ "$(printf '%s\n' "$1" | grep -c .)" -gt "$3" ]; }

# --- pages
for page in man/*.[1-9]; do
	none "$(mandoc -T lint -W warning "$page" 2>&1)" "$page has no warnings"
	none "$(mandoc -T ascii "$page" | sed "s/.$(printf '\b')//g" | grep -nE '.{81,}')" "$page fits into 80 columns"
done
pages=$(cd man && ls -- *.[1-9] | sed 's/\.\([1-9]\)$/ \1/')
refs=$(sed -n 's/^\.Xr \(rowcall[^ ]*\) \([1-9]\).*/\1 \2/p' man/*.[1-9])
some "$refs" "references" 5
none "$(only_in "$refs" "$pages")" "a page of ours that is referred to exists"
none "$(for p in $(printf '%s\n' "$pages" | tr ' ' .); do grep -q "man/$p" Makefile.am || echo "$p"; done)" "every page is installed"

# --- settings: name=default, of a table in conf.c and of a part of the page
settings_of()
{
	perl -0777 -ne '
	BEGIN { $macros = shift }
	s{/\*.*?\*/}{}gs;
	while (/^\t(?:$macros)\("(\w+)",(.*?)\),\n/gsm) {
		my ($name, $rest) = ($1, $2);
		$rest =~ s/\bPKGDATADIR "/"\/usr\/share\/rowcall/g;
		my ($text) = $rest =~ /"([^"]*)"/;
		print "$name=", ($rest =~ /, NULL,/ ? "(no default)" : $text), "\n";
	}' "$1" src/base/conf.c
}
manual_of()
{
	perl -0777 -ne '
	BEGIN { $models = shift }
	my ($before, $of_models, $behind) = /(.*?)^(\.Ss Models\n.*?)(^\.Sh .*)/gsm;
	$_ = $models ? $of_models : $before . $behind;
	while (/^\.It Ic (\w+) = .*?\n(.*?)(?=^\.It |^\.El)/gsm) {
		my ($name, $text) = ($1, $2);
		my ($d) = $text =~ /The default is\n?\s*(?:\.Li )?(.*)/;
		$d = defined $d ? $d : "(no default)";
		$d =~ s/ ?\.$//;
		$d = "" if $d eq "empty" || $d eq "none";
		print "$name=$d\n";
	}' "$1" "$CONF"
}
settings=$(settings_of 'TEXT|NUMBER|CHOICE') models=$(settings_of MODEL)
manual=$(manual_of 0)
sample=$(perl -ne '
	last if /^#?\[/;
	print "$2=$3\n" if /^(#?)([a-z_]+) =\s*(.*?)\s*$/' conf/rowcall.conf.sample)
given=$(perl -ne 'last if /^#?\[/; print "$1\n" if /^([a-z_]+) =/' conf/rowcall.conf.sample)
names() { printf '%s\n' "$1" | cut -d= -f1; }
some "$settings" "settings" 20
none "$(only_in "$settings" "$manual")" "every setting is in rowcall.conf(5) with its default"
none "$(only_in "$(names "$manual")" "$(names "$settings")")" "every setting of rowcall.conf(5) exists"
none "$(only_in "$(names "$settings")" "$(names "$sample")")" "every setting is in the sample"
none "$(only_in "$(names "$sample")" "$(names "$settings")")" "every setting of the sample exists"
some "$models" "settings of a model" 5
none "$(only_in "$models" "$(manual_of 1)")" "every setting of a model is there with its default"
none "$(only_in "$(manual_of 1)" "$models")" "every setting of a model that is there exists"
none "$(only_in "$(names "$models")" "$(sed -n '/^#\[model /,$s/^#\([a-z_]*\) =.*/\1=/p' conf/rowcall.conf.sample | cut -d= -f1)")" "every setting of a model is in the sample"
# What is given there, and the repeatable allow_upstream, are examples and no defaults.
none "$(only_in "$sample" "$settings" | grep -Evx "($(printf '%s|' $given)allow_upstream)=.*")" "what the sample has commented out is the default"

# --- error codes, up to the first colon
# Told when the service starts, to its log or a terminal, never in an answer.
startup='already_running
bad_address
bad_configuration
bad_group
bad_secrets_file
bad_user
lock
migration_refused
run_dir
socket'
codes=$(perl -0777 -ne '
	s{/\*.*?\*/}{}gs;
	while (/\bproblem_set\(((?:[^()";]|"(?:\\.|[^"\\])*"|\((?:[^()"]|"(?:\\.|[^"\\])*")*\))*)\)/g) {
		my $args = $1;
		print "$1\n" while $args =~ /"([a-z][a-z_ ]*)[":]/g;
	}
	print "$1\n" while /\b(?:refuse|refuse_name|refused|not_found|invalid)\((?:why|&why), "([a-z][a-z_]*)"/g;
	print "$1\n" while /\bbad_parameter\(r, "[^"]*", "([a-z][a-z_]*)"/g;' \
	$(find src -name '*.c' ! -path 'src/ctl/*' ! -path 'src/import/*'))
none "$(only_in "$startup" "$codes")" "every code that only a start tells exists"
codes=$(only_in "$codes" "$startup")
# code status, of nginx: the texts are chosen by status; the one that is not says it beside its location.
nginx_statuses=$(sed -n 's/^[[:space:]]*\([0-9]\{3\}\) .{"error":"\([a-z_]*\)".*/\2 \1/p; s/^[[:space:]]*default .{"error":"\([a-z_]*\)".*/\1 400/p' conf/nginx/rowcall-http.conf)
nginx=$(grep -ho '{"error":"[a-z_]*"' conf/nginx/* | cut -d'"' -f4)
documented=$(perl -0777 -ne '
	my ($errors) = /^\.Sh ERROR CODES\n(.*?)^\.Sh /sm;
	while ($errors =~ /^\.It Li (.*?) Pq .*$/gm) { print map { "$_\n" } split / , /, $1 }' "$API")
some "$codes" "error codes" 40
some "$nginx" "error codes of nginx" 8
none "$(only_in "$codes" "$documented")" "every error code is in rowcall-api(7)"
none "$(only_in "$nginx" "$documented")" "every error code that nginx answers with is in rowcall-api(7)"
none "$(only_in "$documented" "$codes
$nginx")" "every error code of rowcall-api(7) exists"
# code status, of the table in response.c and of the manual
table=$(sed -n 's/^\t{ "\([a-z_ ]*\)", \([0-9]\{3\}\),.*/\1 \2/p' src/web/response.c)
statuses=$(perl -ne 'next unless /^\.It Li (.*?) Pq (.*)$/; my ($c, $s) = ($1, $2); for my $x (split / , /, $c) { print "$x $_\n" for split /, /, $s }' "$API")
listed=$(printf '%s\n' "$table" | sed 's/ [0-9]*$//')
some "$table" "codes with a status" 30
none "$(printf '%s\n' "$listed" | sort | uniq -d)" "no code is twice in response.c"
none "$(only_in "$codes" "$listed")" "every error code is in the list of response.c"
none "$(only_in "$nginx" "$listed")" "so is every code that nginx answers with"
none "$(only_in "$listed" "$codes
$nginx")" "nothing else is in that list"
none "$(only_in "$table" "$statuses")" "a code has the status in rowcall-api(7) that it has in response.c"
none "$(only_in "$nginx_statuses" "$table")" "nginx answers a code with the status that it has in response.c"

# --- routes: METHOD pattern, with ?selector=, and the parameters that each takes
routes=$(perl -0777 -ne '
	s{/\*.*?\*/}{}gs;
	my %d;
	$d{$1} = $2 while /^#define (\w+) "([^"]*)"/gm;
	while (/^\t\{ "([A-Z]+)", (.*?), (NULL|"[^"]*"), "([^"]*)", WHO_/gm) {
		my ($m, $p, $s, $params) = ($1, $2, $3, $4);
		$p =~ s/\b([A-Z]+)\b/"$d{$1}"/g;
		$p =~ s/[" ]//g;
		$s =~ s/"//g;
		print "$m $p" . ($s eq "NULL" ? "" : "?$s=") . "\t$params\n";
	}' src/web/routes.c)
items=$(sed -n 's/^\.It Li \([A-Z]* \/.*\)/\1/p' "$API")
some "$routes" "routes" 20
is "$(printf '%s\n' "$routes" | wc -l)" "$(grep -c '^	{ "[A-Z]*", ' src/web/routes.c)" "every line of routes.c was understood"
none "$(only_in "$(printf '%s\n' "$routes" | cut -f1)" "$items")" "every route is in rowcall-api(7)"
none "$(only_in "$items" "$(printf '%s\n' "$routes" | cut -f1)")" "every route of rowcall-api(7) exists"
none "$(printf '%s\n' "$routes" | perl -ne '
	BEGIN { open my $f, "<", shift; local $/; my $t = <$f>; $text{$1} = $2 while $t =~ /^\.It Li ([A-Z]+ \/.*?)\n(.*?)(?=^\.It Li [A-Z]+ \/|^\.El\n\.(?:Sh|Pp))/gsm }
	chomp;
	my ($route, $params) = split /\t/;
	for my $p (split / /, $params // "") { print "$route: $p\n" unless ($text{$route} // "") =~ /\b\Q$p\E\b/ }' "$API")" "every parameter of a route is named there"

# --- the OpenAPI document describes what routes and calls take
described() { sed -n "/^static const struct member $1\[\]/,/^};/s/^\t{ \"\([a-z_]*\)\".*/\1/p" src/web/openapi.c; }
taken=$(printf '%s\n' "$routes" | perl -ne 'chomp; my ($r, $p) = split /\t/; print map { "$_\n" } ($p // "") =~ /\w+/g, $r =~ /[{?](\w+)[}=]/g')
fields=$(sed -n 's/^#define FIELDS "\(.*\)"$/\1/p' src/web/rest_dispatch.c | tr ' ' '\n')
some "$taken" "parameters" 30
some "$fields" "fields of a call" 7
none "$(only_in "$taken" "$(described parameters)
share")" "every parameter is described in openapi.c"
none "$(only_in "$(described parameters)" "$taken
share")" "every parameter described there is taken"
tokens=$(sed -n 's/^#define TOKEN_FIELDS "\(.*\)"$/\1/p' src/call/token.h | tr ' ' '\n')
is "$(described token_members | sort)" "$(printf '%s\n' "$tokens" | sort)" "every field of a token is described there, and no other"
is "$(described call_members | sort)" "$(printf '%s\n' "$fields" | sort)" "every field of a call is described there, and no other"

# --- built-in functions
functions=$(perl -0777 -ne '
	s{/\*.*?\*/}{}gs;
	while (/\bstruct function function_\w+\[\] = \{(.*?)\n\};/gs) { my $t = $1; print "$1\n" while $t =~ /\{ *(?:\.name *= *)?"(\w+)"/g }' src/call/*.c)
listed=$(perl -0777 -ne 'my ($t) = /^\.Sh FUNCTIONS\n(.*?)^\.Sh /sm; print "$1\n" while ($t // "") =~ /^\.It Fn (\w+)/gm' "$ROW")
some "$functions" "functions" 15
none "$(only_in "$functions" "$listed")" "every built-in function is in rowcall-row(5)"
none "$(only_in "$listed" "$functions")" "every function of rowcall-row(5) exists"

# --- results: the beginnings of ERR: texts in the code, up to the first conversion
results=$(perl -0777 -ne 's{/\*.*?\*/}{}gs; print "$1\n" while /"(ERR:[A-Za-z_:]*)/g' \
	$(find src/lang src/call -name '*.c') | sed 's/:*$//' | sort -u)
some "$results" "results" 5
none "$(printf '%s\n' "$results" | while read -r r; do grep -qF -- "$r" "$ROW" || echo "$r"; done)" "every kind of ERR: result is in rowcall-row(5)"
columns=$(sed -n 's/^\t\[ROW_[A-Z_]*\] *= { \.name = "\([a-z_]*\)".*/\1/p' src/directory/row.c)
some "$columns" "columns" 17
none "$(printf '%s\n' "$columns" | while read -r c; do grep -qE "^\.It Ic (.* )?$c( |\$)" "$ROW" || echo "$c"; done)" "every column is in rowcall-row(5)"

done_testing
