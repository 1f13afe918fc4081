#!/bin/sh
# The walk-through "From an OpenAPI document" of README works as it is printed. Its blocks are shell, or what the block before them prints.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --no-rows || bail "the service did not start"
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
mkdir "$TMP/work" "$TMP/out.d" && cd "$TMP/work" || bail "no folder to work in"
ln -s "$DIR" instance
ln -s "$BUILD" build
sed -n '/^From an OpenAPI document/,/^When the document changes/s/^        //p' "$SOURCE/README" | sed "s/9000/$port/" >"$TMP/lines"
# What is shell goes into one script, what it prints into out.N; what it should print into want.N.
perl -e 'my ($dir, $n, $shell) = ($ARGV[0], 0, 0);
	open my $script, ">", "$dir/script"; my $want;
	while (<STDIN>) {
		if (/^(export|rowcall) / && !/^rowcall: / && !$shell) { $n++; $shell = 1; print $script "{\n" }
		elsif ($shell && /^(KEY|HTTP|rowcall:) /) { print $script "} >$dir/out.$n 2>&1\n"; $shell = 0; open $want, ">", "$dir/want.$n" }
		elsif ($shell && /^rowcall import/) { print $script "} >$dir/out.$n 2>&1\n{\n"; $n++ }
		$shell ? print $script $_ : print $want $_;
	}' "$TMP/out.d" <"$TMP/lines"
# Nobody types so fast that Python would not listen yet.
sed -i "s|^rowcall call|i=0; until curl -so /dev/null http://127.0.0.1:$port/ \|\| [ \$i -gt 300 ]; do sleep 0.1; i=\$((i + 1)); done; &|" "$TMP/out.d/script"
sh -c ". '$TMP/out.d/script'; kill \$!" || diag "$(cat "$TMP/out.d/script" "$TMP"/out.d/out.*)"
ok "all of it ran" [ "$(ls "$TMP"/out.d/want.* | wc -l)" = 3 ]
for want in "$TMP"/out.d/want.*; do
	tr -s '\t ' '  ' <"$TMP/out.d/out.${want##*.}" >"$TMP/squeezed"
	while read -r line; do
		case $line in KEY\ *) continue ;; esac          # the head is for terminals
		ok "README: $(echo "$line" | tr -s ' ')" grep -qxF "$(echo "$line" | tr -s ' ')" "$TMP/squeezed"
	done <"$want"
done
done_testing
