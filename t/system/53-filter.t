#!/usr/bin/perl
# The service, its programs, a reload and a stop need no system call but those that the systemd unit allows.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;
use Daemon;

# The sets, with the sets in them.
sub names {
	my ($set, $seen) = @_;
	return () if $seen->{$set}++;
	my @lines = grep { !/^\s*#/ && /^\s+\S/ } split /\n/, qx(systemd-analyze syscall-filter '$set');
	return map { my ($n) = /(\S+)/; $n =~ /^@/ ? names($n, $seen) : $n } @lines;
}

plan skip_all => 'no systemd-analyze' if system('command -v systemd-analyze >/dev/null');
my ($filter) = Daemon::get("$FindBin::Bin/../../conf/systemd/rowcall.service.in") =~ /^SystemCallFilter=(.*)$/m or BAIL_OUT('the unit has no filter');
my %seen;
my @allowed = map { /^@/ ? names($_, \%seen) : $_ } split ' ', $filter;
cmp_ok(scalar @allowed, '>', 200, 'the filter names system calls');
my $dir = tempdir(TMPDIR => 1, CLEANUP => 1);
Daemon::put("$dir/names", join('', map { "$_\n" } @allowed), 0644);
system(split(' ', $ENV{CC} // 'gcc'), '-o', "$dir/filter", "$FindBin::Bin/filter.c", '-lseccomp') == 0 or plan skip_all => 'no compiler';
my $true = qx('$dir/filter' '$dir/names' /bin/echo works);
is($true, "works\n", 'a program runs under it');

mkdir "$dir/exec.d", 0755;
Daemon::put("$dir/exec.d/hello", "#!/bin/sh\necho hello \$1\n", 0755);
my $d = Daemon->new(exec_dir => "$dir/exec.d");
Daemon::put("$dir/rowcalld", "#!/bin/sh\nexec '$dir/filter' '$dir/names' '$Daemon::program' \"\$@\"\n", 0755);
$Daemon::program = "$dir/rowcalld";
ok($d->start, 'the service starts under it') or diag $d->log;
sub call { my ($key, $body) = @_; my $a = $d->own('POST', '/api/dispatch', encode_json({ key => $key, body => $body })); return eval { decode_json($a->{body})->{result} } // $a->{body} }
ok($d->load('ECHO'), 'a row is written');
is(call('ECHO', 'x'), 'x', 'a function runs');
is($d->own('PUT', '/api/directory/HELLO', encode_json({ type => 'fn', runner => 'exec', target => 'hello', content => '# WHAT: x', examples => ['x'] }))->{status}, 201, 'an exec row is written');
is(call('HELLO', 'you'), "hello you\n", 'a program runs');
is($d->own('PUT', '/api/directory/FAR', encode_json({ type => 'http', target => 'GET http://nowhere.invalid/', content => '# WHAT: x', examples => ['x'] }))->{status}, 201, 'an http row is written');
like(call('FAR', ''), qr/^ERR:http:fetch:nowhere\.invalid: Couldn't resolve host name|^ERR:http:blocked_address/, 'a name is looked up');
is(decode_json($d->own('GET', '/api/events/verify')->{body})->{ok}, JSON::PP::true, 'a child checks the chain');
kill 'HUP', $d->{pid};
ok($d->wait_for(sub { $d->log =~ /reloading.*serving with/s }, 30), 'it reloads') or diag $d->log;
is(call('HELLO', 'again'), "hello again\n", 'and runs programs');
ok($d->stop, 'it stops');
is($d->{status}, 0, 'cleanly');
unlike($d->log, qr/not permitted|error/i, 'and nothing was denied') or diag $d->log;
done_testing;
