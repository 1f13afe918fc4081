#!/usr/bin/perl
# Answers that only a service with a fault of its own gives: each with its code, and gone with the fault.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Daemon;

my $log = tempdir('upstream-XXXXXX', TMPDIR => 1, CLEANUP => 1) . '/log';
my $pid = open my $port, '-|', 'perl', "$FindBin::Bin/../upstream.pl", $log or BAIL_OUT('no upstream');
chomp(my $upstream = '127.0.0.1:' . <$port>);
my $d = Daemon->new(max_request_body => '16M', max_row_field => '16M', allow_upstream => $upstream);
my $dir = $d->{dir};
system('cp', '-r', $d->{settings}{migrations_dir}, "$dir/migrations") == 0 or BAIL_OUT('no migrations');
$d->configure(migrations_dir => "$dir/migrations");
$d->start or BAIL_OUT($d->log);

# status, code and the whole answer
sub owned { my $a = $d->own(@_); return ("$a->{status}," . (eval { decode_json($a->{body})->{error} } // ''), eval { decode_json($a->{body}) } // {}) }

subtest 'not_ready' => sub {
	rename "$dir/migrations", "$dir/away";
	kill 'KILL', $d->children->{'rowcalld: writer'};
	ok($d->wait_for(sub { $d->ask('GET', '/api/healthz')->{status} == 503 }, 30), 'without a writer the service is not healthy');
	my ($got, $a) = owned('GET', '/api/healthz');
	is($got, '503,not_ready', 'and has a code for it');
	is_deeply([ $a->{ok}, $a->{problems}[0] ], [ JSON::PP::false, 'the writer is not ready' ], 'and says what is wrong');
	like($d->own('GET', '/api/healthz')->{head}, qr/^Retry-After: \d/mi, 'and when to come back');
	rename "$dir/away", "$dir/migrations";
	ok($d->wait_for(sub { $d->ask('GET', '/api/healthz')->{status} == 200 }, 30), 'with a writer it is again');
};

subtest 'verify_failed' => sub {
	is((owned('GET', '/api/events/verify'))[0], '200,', 'the chain can be checked');
	$d->configure(wrokers => 1);
	my ($got, $a) = owned('GET', '/api/events/verify');
	is($got, '500,verify_failed', 'a check that cannot run is no good chain');
	ok(!exists $a->{ok}, 'and says nothing about it');
	$d->configure(wrokers => undef);
	is((owned('GET', '/api/events/verify'))[0], '200,', 'then it runs again');
};

subtest 'write_too_large' => sub {
	my $row = sub { encode_json({ key => $_[0], type => 'fn', target => 'echo', content => "# WHAT: long\n" . 'x' x $_[1], examples => ['a'] }) };
	is((owned('POST', '/api/directory', $row->('LONG', 800 << 10)))[0], '201,', 'a row of 800 KiB is stored');
	my ($got, $a) = owned('POST', '/api/directory', $row->('LONGER', 1 << 20));
	is($got, '413,write_too_large', 'one that does not fit into one write is refused');
	is($a->{state_changed}, JSON::PP::false, 'and changes nothing');
	is($d->own('GET', '/api/directory/LONGER')->{status}, 404, 'it is not there');
	is($d->own('GET', '/api/directory/LONG')->{status}, 200, 'the other one is');
};

subtest 'receipt_not_written' => sub {
	my $put = encode_json({ type => 'http', target => "GET http://$upstream/slow/3000", content => '# WHAT: slow', examples => ['a'] });
	is((owned('PUT', '/api/directory/SLOW', $put))[0], '201,', 'a call that takes a while');
	$d->configure(write_timeout => '5s');
	ok($d->stop && $d->start, 'the service waits a short time for a write') or BAIL_OUT($d->log);
	my $s = $d->connection;
	my $writer = $d->children->{'rowcalld: writer'};
	Daemon::put_bytes($s, Daemon::request('POST', '/api/dispatch', '{"key":"SLOW"}', HTTP_X_TERMINAL_KEY => $Daemon::KEY));
	ok($d->wait_for(sub { Daemon::get($log) =~ m{/slow} }, 30), 'the upstream is at work');
	kill 'STOP', $writer;
	my $got = Daemon::answer($s);
	kill 'CONT', $writer;
	my $a = decode_json($got->{body});
	is("$got->{status},$a->{error}", '500,receipt_not_written', 'without a receipt in time it is told apart from a call that did not run');
	is($a->{ran}, JSON::PP::true, 'it ran');
	like($a->{invocation_id}, qr/^inv_[0-9a-z]{26}$/, 'as this invocation');
	unlike($got->{body}, qr/"slow"/, 'whose result is withheld');
	ok($d->wait_for(sub { (owned('POST', '/api/dispatch', '{"key":"SLOW"}'))[0] eq '200,' }, 30), 'and with the writer calls go on');
};

kill 'TERM', $pid;
unlike($d->log, qr/Sanitizer|runtime error/, 'no sanitizer has anything to say');
done_testing;
