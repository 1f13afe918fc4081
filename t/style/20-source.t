#!/bin/sh
# Rules that a compiler does not see: the direction of the layers, calls that are not made, who may use which library.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

cd "$SOURCE" || bail "no source folder"
none() { is "$1" '' "$2"; }

# Source without comments, keeping its lines, as FILE:LINE:TEXT.
code()
{
	perl -e 'for my $f (@ARGV) {
		open my $h, "<", $f or die "$f: $!";
		local $/;
		my $t = <$h>;
		$t =~ s{("(?:\\.|[^"\\])*"|\x27(?:\\.|[^\x27\\])+\x27)|/\*.*?\*/|//[^\n]*}{defined $1 ? $1 : "\n" x (() = $& =~ /\n/g)}ges;
		my $n = 0;
		print map { $n++; "$f:$n:$_\n" } split /\n/, $t;
	}' "$@"
}
code $(find src t -name '*.[ch]' -o -name '*.inc') >"$TMP/code"
ok "there is source to look at" [ "$(wc -l <"$TMP/code")" -gt 5000 ]
in_src() { grep '^src/' "$TMP/code"; }
# The same without what stands in quotes.
calls() { in_src | sed 's/"\(\\.\|[^"\\]\)*"/""/g'; }

# --- layers
cat >"$TMP/layers" <<'END'
base base
lang base lang
schema base lang schema
loop base lang schema loop
store base lang schema loop store
directory base lang schema loop store directory
call base lang schema loop store directory call
web base lang schema loop store directory call web
daemon base lang schema loop store directory call web daemon
import base lang schema loop store directory import
ctl base lang schema loop store directory call import ctl
END
layers=$(cut -d' ' -f1 "$TMP/layers")
none "$(cd src && for d in */; do printf '%s\n' "$layers" | grep -qx "${d%/}" || echo "src/$d"; done)" "every folder of src is a layer"
upward()
{
	grep -E "^$1[a-z]+/.*:#include \"" "$TMP/code" | perl -ne '
		BEGIN { open my $f, "<", shift; while (<$f>) { my ($l, @m) = split; $may{$l}{$_} = 1 for @m } }
		my ($layer, $path) = m{^'"$1"'([a-z]+)/.*:#include "([^"]*)"} or next;
		my ($to) = $path =~ m{^([a-z]+)/} or next;
		print if exists $may{$to} && !$may{$layer}{$to}' "$TMP/layers"
}
none "$(upward src/)" "no file includes one of a layer above its own"
# Tests of what is stored have a real writer beside them.
none "$(upward t/unit/ | grep -v ':#include "daemon/writer\.h"$')" "no unit test includes one of a layer above its own"
none "$(in_src | grep ':#include "' | grep -vE ':#include "([a-z]+/[a-z_]+\.(h|inc)|config\.h)"')" "files of ours are included by layer and name"
none "$(cd t/unit && for d in */; do [ -d "../../src/$d" ] || echo "t/unit/$d"; done)" "unit tests stand in folders like those of src"

# --- calls that are not made
none "$(calls | grep -E '\b(strcpy|strcat|stpcpy|sprintf|vsprintf|gets|system|popen|alloca|strdupa|strtok|mktemp|tmpnam)[[:space:]]*\(')" "no calls that overflow, split the stack or run a shell"
none "$(calls | grep -E '\b(sqlite3_[a-z0-9_]+|struct sqlite3)\b' | grep -v '^src/store/db\.c:')" "SQLite is used in store/db.c alone"
none "$(calls | grep -E '\bcurl_[a-z_]+|\bCURL[A-Z]*_[A-Z_]+' | grep -vE '^src/(call/outbound|ctl/remote)\.c:')" "libcurl is used in call/outbound.c and ctl/remote.c alone"
none "$(calls | grep -E '\bFCGX_[A-Za-z_]+' | grep -v '^src/web/fastcgi\.c:')" "libfcgi is used in web/fastcgi.c alone"
none "$(in_src | grep -E ':#include <(sqlite3|curl/|fcgi)' | grep -vE '^src/(store/db|call/outbound|ctl/remote|web/fastcgi)\.c:')" "as are their headers"
none "$(calls | grep -E '\btypedef[[:space:]]+(const[[:space:]]+)?struct\b')" "no typedef for structs"
# db.c waits milliseconds for a file that the writer is opening or leaving.
none "$(calls | grep -E '^src/(lang|schema|store|directory|call|web)/' | grep -v '^src/store/db\.c:' | grep -E '\b(u?sleep|nanosleep)[[:space:]]*\(')" "nothing sleeps where an event loop runs"

# --- words
none "$(grep -rnE --exclude-dir=node_modules "\b(TO""DO|FIX""ME)\b" src t man conf migrations bench README DESIGN bootstrap Makefile.am configure.ac .ci 2>/dev/null)" "nothing is left for later in the text"
none "$(find src -name 'util*.[ch]' -o -name 'common*.[ch]' -o -name 'misc*.[ch]')" "every file is named for its subject"
none "$(for f in $(find src -name '*.c'); do head -1 "$f" | grep -q '^/\* ' || echo "$f"; done)" "every file begins with what it is for"
none "$(grep -rnP '\t* +\t' $(find src t -name '*.[ch]') | grep -v ':[0-9]*: \*' | head -5)" "lines are indented with tabs"
none "$(grep -rn --exclude-dir=node_modules '[[:space:]]$' src t man conf migrations bootstrap README DESIGN --include='*' -I | head -5)" "no white space at the end of a line"

done_testing
