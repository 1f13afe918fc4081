#!/usr/bin/perl
# The FastCGI socket against peers that nginx never is: malformed records, stalled peers, slow readers, many connections. Nothing of it may crash a worker or
# keep others waiting.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use Daemon;

my $d = Daemon->new(workers => 1);
ok($d->start, 'starts') or BAIL_OUT($d->log);
my $worker = $d->children->{'rowcalld: worker 1'};
my $path = '/api/healthz';

sub alive {
	my ($name) = @_;
	my $a = $d->ask('GET', $path);
	is("$a->{status} " . ($d->children->{'rowcalld: worker 1'} // 'none'), "200 $worker", "$name: the same worker answers the next request");
}

is(sprintf('%04o', (stat $d->socket)[2] & 07777), '0660', 'the socket is readable and writable for owner and group only');

subtest 'kept connections' => sub {
	my $s = $d->connection;
	for (1 .. 3) {
		Daemon::put_bytes($s, Daemon::request('GET', $path));
		is(Daemon::answer($s)->{status}, 200, "request $_ on one connection");
	}
	my $bytes = Daemon::request('GET', $path, '', HTTP_X_LONG => 'x' x 70000);
	for (my $at = 0; $at < length $bytes; $at += 9973) {
		Daemon::put_bytes($s, substr $bytes, $at, 9973);
		sleep 0.002;
	}
	is(Daemon::answer($s)->{status}, 200, 'a parameter of 70,000 bytes over several records, arriving in pieces');
	$bytes = Daemon::begin() . Daemon::stream(4, Daemon::params('GET', $path, ''), 1) . Daemon::stream(5, '');
	Daemon::put_bytes($s, $bytes);
	is(Daemon::answer($s)->{status}, 200, 'parameters in records of one byte');
	$bytes = Daemon::request('GET', $path);
	for (split //, $bytes) { Daemon::put_bytes($s, $_) }
	is(Daemon::answer($s)->{status}, 200, 'a request that arrives byte by byte');
	$bytes = Daemon::begin() . Daemon::record(4, Daemon::params('GET', $path, ''), padding => 255) . Daemon::record(4, '') . Daemon::record(5, '');
	Daemon::put_bytes($s, $bytes);
	is(Daemon::answer($s)->{status}, 200, 'padded records');
	Daemon::put_bytes($s, Daemon::begin(keep => 0) . Daemon::stream(4, Daemon::params('GET', $path, '')) . Daemon::stream(5, ''));
	is(Daemon::answer($s)->{status}, 200, 'a request that does not want the connection kept');
	ok(Daemon::closes($s, 2), 'ends it');
};

subtest 'bodies' => sub {
	my $ask = sub { my ($length, $body) = @_; $d->ask('POST', '/api/dispatch', $body, CONTENT_LENGTH => $length) };
	my $is = sub { my ($got, $status, $error, $name) = @_; is($got->{status}, $status, $name); like($got->{body} // '', qr/\Q$error\E/, "$name: says why") };
	$is->($ask->('12abc', '{}'), 400, 'bad_content_length', 'a length with letters');
	$is->($ask->('-1', '{}'), 400, 'bad_content_length', 'a negative length');
	$is->($ask->('99999999999999999999999', '{}'), 400, 'bad_content_length', 'a length beyond 64 bits');
	$is->($ask->('3', '{}'), 400, 'bad_content_length', 'a length greater than the body');
	$is->($ask->('1', '{}'), 400, 'bad_content_length', 'a length smaller than the body');
	$is->($ask->('', '{}'), 411, 'length_required', 'a body without a length');
	$is->($ask->('0', '{}'), 400, 'bad_content_length', 'a length of 0 with a body');
	$is->($ask->('5000000000', '{}'), 413, 'body_too_large', 'a length beyond the limit');
	$is->($ask->(3 << 20, 'x' x (3 << 20)), 413, 'body_too_large', 'a body beyond the limit, sent whole');
	my $s = $d->connection;
	Daemon::put_bytes($s, Daemon::request('POST', '/api/dispatch', 'x' x (2 << 20)));
	is(Daemon::answer($s)->{status}, 413, 'a body that is refused');
	Daemon::put_bytes($s, Daemon::request('GET', $path));
	is(Daemon::answer($s)->{status}, 200, 'leaves the connection usable');
};

my $params = Daemon::stream(4, Daemon::params('GET', $path, ''));
my @hostile = (
	[ 'no FastCGI at all', "GET / HTTP/1.1\r\nHost: x\r\n\r\n" ],
	[ 'another version', Daemon::begin(version => 2) . $params ],
	[ 'a name length of 0x7fffffff', Daemon::begin() . Daemon::record(4, "\xff\xff\xff\xff" . "\x01" . 'a' x 100) ],
	[ 'a value length of 0xffffffff', Daemon::begin() . Daemon::record(4, "\x01" . "\xff\xff\xff\xff" . 'a' x 100) ],
	[ 'two lengths whose sum overflows', Daemon::begin() . Daemon::record(4, "\xff\xff\xff\xfe\xff\xff\xff\xfe" . 'a' x 100) ],
	[ 'a length of 1 GiB', Daemon::begin() . Daemon::record(4, "\x01\xc0\x00\x00\x00a") ],
	[ 'a name without bytes', Daemon::begin() . Daemon::record(4, "\x00\x05value") ],
	[ 'NUL in a value', Daemon::begin() . Daemon::record(4, Daemon::pair('A', "b\0c")) ],
	[ '= in a name', Daemon::begin() . Daemon::record(4, Daemon::pair('A=B', 'c')) ],
	[ 'parameters that end within a pair', Daemon::begin() . Daemon::record(4, "\x05\x05abc") . Daemon::record(4, '') ],
	[ '300 KB of parameters', Daemon::begin() . Daemon::stream(4, Daemon::pair('A', 'x' x 300000)) ],
	[ '5,000 parameters', Daemon::begin() . Daemon::stream(4, Daemon::pair('A', 'x') x 5000) ],
	[ 'abort in mid-body', Daemon::begin() . Daemon::stream(4, Daemon::params('POST', $path, 'x' x 100)) . Daemon::record(5, 'x' x 50) . Daemon::record(2, '') ],
	[ 'abort as the first record', Daemon::record(2, '') ],
	[ 'another request id in mid-request', Daemon::begin() . Daemon::record(4, Daemon::pair('A', 'b'), id => 2) ],
	[ 'a second begin', Daemon::begin() . Daemon::begin(id => 2) . $params ],
	[ 'request id 0', Daemon::begin(id => 0) . $params ],
	[ 'a management record that repeats a name', Daemon::record(9, Daemon::pair('FCGI_MAX_CONNS', '') x 50, id => 0) ],
	[ 'an unknown management record', Daemon::record(77, '', id => 0) ],
	[ 'an authorizer', Daemon::begin(role => 2) . $params ],
	[ 'a begin of a wrong length', Daemon::record(1, 'x' x 20) ],
	[ 'a padded begin', Daemon::begin(padding => 8) . $params . Daemon::record(5, '') ],
	[ 'a padded end of parameters', Daemon::begin() . Daemon::record(4, Daemon::params('GET', $path, '')) . Daemon::record(4, '', padding => 8) ],
	[ 'body before parameters', Daemon::begin() . Daemon::record(5, 'abc') ],
	[ 'filter data', Daemon::begin() . $params . Daemon::record(8, 'abc') ],
);
for my $h (@hostile) {
	my $s = $d->connection;
	Daemon::put_bytes($s, $h->[1]);
	ok(Daemon::closes($s, 3), "$h->[0]: the connection is closed");
}
alive('after these');

subtest 'bytes behind a request' => sub {
	my $s = $d->connection;
	Daemon::put_bytes($s, Daemon::request('GET', $path) . "junk");
	is(Daemon::answer($s)->{status}, 200, 'it is answered');
	ok(Daemon::closes($s, 3), 'the connection is closed');
};

subtest 'random bytes' => sub {
	srand 5;
	my $good = Daemon::request('POST', '/api/dispatch', '{"a":1}');
	for (1 .. 400) {
		my $bytes = $good;
		substr($bytes, rand length $bytes, 1) = chr rand 256 for 1 .. 1 + rand 4;
		my $s = $d->connection;
		Daemon::put_bytes($s, substr $bytes, 0, rand 3 < 1 ? rand length $bytes : length $bytes);
		shutdown $s, 1;
		Daemon::closes($s, 3) or return fail('a connection stays open: ' . unpack 'H*', $bytes);
	}
	pass('400 damaged requests end');
	alive('after these');
};

subtest 'stalled peers' => sub {
	my @stalled;
	my $whole = Daemon::request('POST', '/api/dispatch', '{"x":"' . 'y' x 5000 . '"}');
	for my $n (0, 1, 4, 7, 9, 20, 200, 3000) {
		my $s = $d->connection;
		Daemon::put_bytes($s, substr $whole, 0, $n) if $n;
		push @stalled, $s;
	}
	my $t = time;
	is($d->ask('GET', $path)->{status}, 200, "others are answered while requests hang half sent") for 1 .. 20;
	cmp_ok(time - $t, '<', 2, 'at once');
	Daemon::put_bytes($stalled[-1], substr $whole, 3000);
	isnt(Daemon::answer($stalled[-1])->{status}, 0, 'a request that goes on after a pause is answered');
};

subtest 'peers that go away' => sub {
	for (1 .. 50) {
		my $s = $d->connection;
		Daemon::put_bytes($s, Daemon::request('GET', $path));
		close $s;
	}
	my $s = $d->connection;
	Daemon::put_bytes($s, Daemon::request('GET', $path));
	shutdown $s, 1;
	is(Daemon::answer($s)->{status}, 200, 'a peer that closed its sending side is answered');
	ok(Daemon::closes($s), 'and its connection closed');
	alive('after these');
};

subtest 'slow readers' => sub {
	ok($d->own('POST', '/api/directory', sprintf '{"key":"BIG_%d","type":"fn","target":"echo","examples":"[\\"\\"]","content":"# WHAT: a long text.\\n# ARGS: none\\n%s"}', $_, 'x' x 60000)->{status} == 201,
		"row $_ of 60 KB") for 1 .. 10;
	my $bytes = Daemon::request('GET', '/api/directory', '', HTTP_X_TERMINAL_KEY => $Daemon::KEY);
	my @s = map { $d->connection } 1 .. 20;
	Daemon::put_bytes($_, $bytes) for @s;
	my $t = time;
	is($d->ask('GET', $path)->{status}, 200, 'others are answered while 20 answers of 600 KB are not read') for 1 .. 20;
	cmp_ok(time - $t, '<', 2, 'at once');
	my @length = map { my $a = Daemon::answer($_); length($a->{body} // '') } @s;
	cmp_ok($length[0], '>', 600000, 'they are long');
	is(scalar(grep { $_ == $length[0] } @length), 20, 'and arrive whole when they are read');
	Daemon::put_bytes($_, $bytes) for @s;
	sysread $_, my $text, 1000 for @s;
	close $_ for @s;
	alive('readers that go away in the middle');
};

subtest 'many connections' => sub {
	my @s = map { $d->connection } 1 .. 900;
	is(scalar(grep { defined } @s), 900, '900 connections are accepted');
	Daemon::put_bytes($_, Daemon::request('GET', $path)) for @s;
	is(scalar(grep { (Daemon::answer($_) // {})->{status} // 0 == 200 } @s), 900, 'and answered');
	alive('with these open');
};

subtest 'descriptors' => sub {
	my $count = sub { scalar(() = glob "/proc/$worker/fd/*") };
	ok($d->wait_for(sub { $count->() < 60 }, 30), 'none is left open') or diag $count->();
};

# The worker that does not take its turn is another process, so this is a service of its own.
subtest 'shares of two workers' => sub {
	my $two = Daemon->new(workers => 2);
	ok($two->start, 'starts') or return;
	my ($one, $other) = map { $two->children->{"rowcalld: worker $_"} } 1, 2;
	my $sockets = sub { my ($pid) = @_; scalar grep { (readlink $_ // '') =~ /^socket:/ } glob "/proc/$pid/fd/*" };
	my $before = $sockets->($one);
	kill 'STOP', $other;
	my @s;
	for (1 .. 20) {
		push @s, $two->connection;
		Daemon::put_bytes($s[-1], Daemon::request('GET', '/'));
	}
	is(scalar(grep { (Daemon::answer($_) // {})->{status} // 0 == 200 } @s), 20, 'one takes what the other, which is stopped, does not');
	ok($two->wait_for(sub { $sockets->($one) == $before + 20 }, 30), 'all of it');
	my $switches = sub { (Daemon::get("/proc/$one/status") =~ /^voluntary_ctxt_switches:\s*(\d+)/m)[0] };
	kill 'CONT', $other;
	my $start = $switches->();
	sleep 1;
	cmp_ok($switches->() - $start, '<', 10, 'having more than the other, it sleeps') or diag $switches->() - $start;
	push @s, $two->connection for 1 .. 10;
	sleep 0.5;
	cmp_ok($sockets->($one) - $before, '<', 25, 'and leaves new ones to the other');
	$two->stop;
};

subtest 'after a rush' => sub {
	my $stacks = sub { scalar(() = Daemon::get("/proc/$worker/maps") =~ /^[0-9a-f]+-[0-9a-f]+ ---p 00000000 00:00 0 *$/mg) };
	my $before = $d->wait_for(sub { my $n = $stacks->(); $n < 50 && $n }, 30);
	ok($before, 'the stacks of the tests before have gone back') or $before = 0;
	my @s = map { $d->connection } 1 .. 200;
	Daemon::put_bytes($_, Daemon::begin()) for @s;
	ok($d->wait_for(sub { $stacks->() >= $before + 150 }, 30), '200 requests that do not arrive hold a stack each') or diag $stacks->();
	close $_ for @s;
	ok($d->wait_for(sub { $stacks->() <= $before + 40 }, 30), 'which go back to the system when they are gone') or diag "$before, then " . $stacks->();
	alive('after it');
};

$d->stop;
is($d->{status}, 0, 'stops cleanly') or diag $d->log;
unlike($d->log, qr/Sanitizer|runtime error/, 'no sanitizer has anything to say');
done_testing;
