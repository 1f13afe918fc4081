#!/bin/sh
# What `make install` puts where: everything that the unit, the site and the programs name is there, and systemd has nothing to object to. What `make dist`
# packs.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

root=$TMP/root
make -C "$BUILD" -s install DESTDIR="$root" >"$TMP/install" 2>&1 || { diag "$(tail -5 "$TMP/install")"; bail "make install fails"; }
unit=$root/usr/lib/systemd/system/rowcall.service
setting() { sed -n "s/^$1=//p" "$unit"; }
none() { is "$1" '' "$2"; }

# --- the unit
ok "the unit is installed" [ -s "$unit" ]
none "$(grep -n '@[a-z]*@' "$unit")" "no place in it is open"
for command in $(setting ExecStart | cut -d' ' -f1) $(setting ExecStartPre | cut -d' ' -f1); do ok "$command is a program" [ -x "$root$command" ]; done
for page in $(setting Documentation); do
	section=$(printf %s "$page" | sed 's/.*(\(.\))/\1/') name=${page#man:}
	ok "$page is a page" [ -s "$root/usr/share/man/man$section/${name%(*}.$section" ]
done
conf=$(setting ExecStart | sed 's/.* -c //')
ok "there is a sample of $conf" [ -s "$root$conf.sample" ]
is "$(setting ExecStartPre | sed 's/.* -c //')" "$conf" "the same settings are checked and used"
folder() { mandoc -T ascii -O width=500 "$root/usr/share/man/man5/rowcall.conf.5" | sed "s/.$(printf '\b')//g" | grep -A3 "^ *$1 = " | sed -n 's/.*default is \(.*\)\.$/\1/p'; }
is "/var/lib/$(setting StateDirectory)" "$(folder data_dir)" "the folder that it may write in is data_dir's default"
is "/run/$(setting RuntimeDirectory)" "$(folder run_dir)" "and the one of its sockets run_dir's"
is "$(sed -n 's/^u \([a-z]*\) .*/\1/p' "$root/usr/lib/sysusers.d/rowcall-sysusers.conf")" "$(setting User)" "its user is the one that is made"
ok "it waits longer for a stop than a worker does by default" [ "$(setting TimeoutStopSec)" -gt "$(folder drain_timeout | tr -d s)" ]
if command -v systemd-analyze >/dev/null; then
	# Where it is, so that its program is found.
	sed "s|=/usr/sbin/|=$root/usr/sbin/|" "$unit" >"$TMP/rowcall.service"
	none "$(systemd-analyze verify --man=no "$TMP/rowcall.service" 2>&1 | grep -i rowcall)" "systemd-analyze has nothing to object to it"
	ok "and calls its exposure low" systemd-analyze security --offline=yes --threshold=40 "$TMP/rowcall.service"
	mkdir -p "$root/etc"
	ok "systemd-sysusers makes the user" systemd-sysusers --root="$root" rowcall-sysusers.conf
	like "$(cat "$root/etc/passwd")" '^rowcall:.*:/var/lib/rowcall:' "with its folder"
fi

# --- nginx: the site as README has it
site=$TMP/site
mkdir -p "$site/conf.d" "$site/log"
cp "$root/usr/share/rowcall/conf/nginx/"rowcall-*.conf "$site/"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=rowcall.example.org -keyout "$site/key.pem" -out "$site/cert.pem" 2>/dev/null
sed "s|/etc/letsencrypt/.*/fullchain.pem|$site/cert.pem|; s|/etc/letsencrypt/.*/privkey.pem|$site/key.pem|; s|/var/log/nginx|$site/log|" "$site/rowcall-site.conf" >"$site/conf.d/rowcall.conf"
{ [ "$(id -u)" != 0 ] || echo 'user root;'; printf 'pid %s/pid; error_log %s/log/error.log;\nevents {}\nhttp { client_body_temp_path %s/b; fastcgi_temp_path %s/f; proxy_temp_path %s/p; scgi_temp_path %s/s; uwsgi_temp_path %s/u; include conf.d/*.conf; }\n' "$site" "$site" "$site" "$site" "$site" "$site" "$site"; } >"$site/nginx.conf"
if [ "$(id -u)" = 0 ]; then
	ok "nginx takes the site" nginx -t -q -p "$site/" -c "$site/nginx.conf"
fi
none "$(grep -hoE '^[[:space:]]*include [^;*]+' "$site"/*.conf | awk '{print $2}' | sort -u | while read -r f; do [ -e "$site/$f" ] || echo "$f"; done)" "every file that it includes is there"

# --- the programs, from where they are
for folder in directory ledger; do
	is "$(cd "$root/usr/share/rowcall/migrations/$folder" && ls)" "$(cd "$SOURCE/migrations/$folder" && ls)" "all migrations of $folder are there"
done
is "$(cd "$root/usr/share/rowcall/conf/rows" && ls)" "$(cd "$SOURCE/conf/rows" && ls)" "all starter rows are there"
ok "rowcalld runs" "$root/usr/sbin/rowcalld" -V
ok "rowcall runs" "$root/usr/bin/rowcall" help
# --- and away again
make -C "$BUILD" -s uninstall DESTDIR="$root" >"$TMP/install" 2>&1
none "$(cd "$root" && find usr etc -type f ! -path 'etc/passwd*' ! -path 'etc/group*' ! -path 'etc/*shadow*' ! -path 'etc/.*')" "make uninstall leaves nothing"
# --- the archive, made where the tests were built
tested=${ROWCALL_BUILD_SANITIZE:-$SOURCE/build-sanitize}
ok "a folder in which tests were built packs an archive" make -C "$tested" -s distdir distdir="$TMP/archive"
files() { (cd "$1" && find t -type f ! -path '*/node_modules/*' ! -name '*.o' | sort); }
is "$(files "$TMP/archive")" "$(files "$SOURCE")" "all of the tests are in it, and nothing that was built"
if git -C "$SOURCE" rev-parse 2>/dev/null; then
	none "$(git -C "$SOURCE" ls-files | grep -v '^\.gitignore$' | while read -r f; do [ -e "$TMP/archive/$f" ] || echo "$f"; done)" "so is every other file of the source"
fi
done_testing
