#!/bin/sh
# What configure.ac and the tests need is named in bootstrap, so that a bare machine gets it.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

cd "$SOURCE" || bail "no source folder"
none() { is "$1" '' "$2"; }

# As bootstrap has them: those of a build, and those of the tests with them.
list() { sed -n "/^$1=\"/,/\"\$/p" bootstrap | tr '\n' ' ' | sed "s/^$1=\"//; s/\".*//; s/\\\$packages//; s/:[a-z]*//g"; }
packages=" $(list packages) "
check_packages="$packages$(list check_packages) "
ok "bootstrap names packages" [ "$(printf '%s' "$check_packages" | wc -w)" -gt 20 ]

# --- configure.ac: what it asks for, and the Debian package that has it
cat >"$TMP/build" <<'END'
sqlite3 libsqlite3-dev
libcurl libcurl4-openssl-dev
json-c libjson-c-dev
libcrypto libssl-dev
libpcre2-8 libpcre2-dev
libsystemd libsystemd-dev
yaml-0.1 libyaml-dev
libbsd libbsd-dev
libseccomp libseccomp-dev
zlib zlib1g-dev
fcgiapp.h libfcgi-dev
AC_PREREQ autoconf
AM_INIT_AUTOMAKE automake
AC_PROG_CC gcc
PKG_PROG_PKG_CONFIG pkg-config
END
asked=$({
	sed -n 's/^PKG_CHECK_MODULES(\[[A-Z]*\], \[\([^] ]*\).*/\1/p' configure.ac
	sed -n 's/^AC_CHECK_HEADER(\[\([^]]*\)\].*/\1/p' configure.ac
	grep -oE '^(AC_PREREQ|AM_INIT_AUTOMAKE|AC_PROG_CC|PKG_PROG_PKG_CONFIG)\b' configure.ac
})
ok "configure.ac asks for something" [ "$(printf '%s\n' "$asked" | wc -l)" -gt 8 ]
none "$(for a in $asked; do
	p=$(sed -n "s/^$a //p" "$TMP/build")
	case "$packages" in *" ${p:-(no package known: add it to this test)} "*) ;; *) echo "$a needs $p" ;; esac
done)" "bootstrap installs what configure.ac asks for"
none "$(for p in make libc6-dev; do case "$packages" in *" $p "*) ;; *) echo $p ;; esac; done)" "and what every build needs"

# --- programs that tests, benchmarks and the service start, and the package that has them
cat >"$TMP/programs" <<'END'
chromium chromium
col bsdextrautils
column bsdextrautils
curl curl
faketime faketime
git git
gdb gdb
iptables iptables
ip iproute2
jq jq
lsof lsof
ltrace ltrace
mandoc mandoc
nc netcat-openbsd
nginx nginx-light
node nodejs
npm npm
openssl openssl
perl perl
pgrep procps
pkill procps
prove perl
ps procps
python3 python3
rsync rsync
socat socat
sqlite3 sqlite3
ss iproute2
strace strace
sudo sudo
valgrind valgrind
wget wget
wrk wrk
xxd xxd
zsh zsh
END
# Words in the place of a command; those that a script has defined as a function of its own do not count.
used()
{
	perl -e '
		my %want = map { (split)[0] => 1 } do { open my $f, "<", shift; <$f> };
		for my $file (@ARGV) {
			open my $h, "<", $file or next;
			local $/;
			my $t = <$h>;
			$want = "";
			print "$1 $file\n" if $t =~ /^#!\s*(?:\/usr\/bin\/env\s+|\S*\/)(\w+)/ && $want{$1};
			next unless $t =~ /^#!\s*\/bin\/sh/ || $file =~ /\.sh$/;
			my %own = map { $_ => 1 } $t =~ /^(\w+)\(\)/gm;
			$t =~ s/<<-?\x27?(\w+)\x27?.*?\n\1\n/\n/gs;
			$t =~ s/^\s*#.*//gm;
			while ($t =~ /(?:^|[|&;(`{]|\$\(|\b(?:exec|if|while|until|then|do|else|time|command -v)\s|!\s)[ \t]*(\w+)(?=[\s;)]|$)/gm) {
				print "$1 $file\n" if $want{$1} && !$own{$1};
			}
		}' "$TMP/programs" "$@"
}
find t bench .ci -name node_modules -prune -o -type f ! -name '*.c' ! -name '*.h' -print >"$TMP/files"
use=$(used $(cat "$TMP/files") | sort -u)
ok "tests use programs" [ "$(printf '%s\n' "$use" | wc -l)" -gt 5 ]
none "$(printf '%s\n' "$use" | while read -r program file; do
	p=$(sed -n "s/^$program //p" "$TMP/programs")
	case "$check_packages" in *" $p "*) ;; *) echo "$file: $program is in $p" ;; esac
done)" "bootstrap installs the programs that tests use"
none "$(for p in nginx-light openssl ca-certificates tzdata; do case "$packages" in *" $p "*) ;; *) echo $p ;; esac; done)" "and what an instance needs when it runs"
none "$(grep -hoE '^\s*use [A-Z][A-Za-z0-9:]+' $(grep -lE '^#!.*perl|^package ' $(cat "$TMP/files")) | awk '{print $2}' | sort -u | while read -r module; do
	[ -e "t/system/$module.pm" ] || perl -MModule::CoreList -e 'exit !Module::CoreList::is_core($ARGV[0])' "$module" || echo "$module"
done)" "modules of Perl that tests use come with Perl"

# --- packages for Node: what is installed is what the lock names, and it names no place that it came from
lock=t/node/package-lock.json
none "$(jq -r --slurpfile lock $lock '.dependencies | to_entries[] | select($lock[0].packages["node_modules/" + .key].version != .value) | .key' t/node/package.json)" "the lock has the versions of package.json"
none "$(jq -r '.packages | to_entries[] | select(.key != "" and (.value.integrity | not)) | .key' $lock)" "and a digest of each package"
none "$(grep -E '"resolved"|://' $lock)" "and no address"

done_testing
