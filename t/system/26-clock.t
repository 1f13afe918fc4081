#!/usr/bin/perl
# What happens after a minute or an hour, under a clock that is put forward: idle connections, the breaker's probe.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Test::More;
use Time::HiRes qw(sleep);
use Daemon;

my ($faketime) = glob '/usr/lib/*/faketime/libfaketime.so.1';
plan skip_all => 'no libfaketime' if !$faketime;
my $pid = open my $port, '-|', 'perl', "$FindBin::Bin/../upstream.pl" or BAIL_OUT('no upstream');
chomp(my $upstream = '127.0.0.1:' . <$port>);
my $d = Daemon->new(workers => 1, allow_upstream => $upstream);
my $path = '/api/healthz';

# Puts the clocks of the service forward, to so many seconds after its start; a request makes its loop look.
sub clock { Daemon::put("$d->{dir}/clock.new", "+$_[0]\n", 0644); rename "$d->{dir}/clock.new", "$d->{dir}/clock"; return $d->ask('GET', $path)->{status} }

{
	local $ENV{LD_PRELOAD} = $faketime;
	local $ENV{FAKETIME_TIMESTAMP_FILE} = "$d->{dir}/clock";
	local $ENV{FAKETIME_NO_CACHE} = 1;
	Daemon::put("$d->{dir}/clock", "+0\n", 0644);
	$d->start or BAIL_OUT($d->log);
}

subtest 'connections' => sub {
	my $bytes = Daemon::request('GET', $path);
	my $kept = $d->connection;
	Daemon::put_bytes($kept, $bytes);
	is(Daemon::answer($kept)->{status}, 200, 'a connection that had a request');
	my ($silent, $half) = map { $d->connection } 1, 2;
	Daemon::put_bytes($half, substr $bytes, 0, 100);
	is(clock(1), 200, 'both have been accepted: who connected later is answered');
	is(clock(55), 200, 'after 55 seconds');
	ok(!Daemon::closes($silent, 0.5), 'one that says nothing is waited for');
	ok(!Daemon::closes($half, 0.5), 'so is half a request');
	is(clock(65), 200, 'after 65 seconds');
	ok(Daemon::closes($silent, 10), 'the silent one is closed');
	ok(Daemon::closes($half, 10), 'half a request too');
	like($d->log, qr/its request did not arrive whole in time/, 'which is logged');
	is(clock(3000), 200, 'much later');
	Daemon::put_bytes($kept, $bytes);
	is((Daemon::answer($kept) // {})->{status}, 200, 'a kept connection is still good');
};

subtest 'the breaker' => sub {
	my $now = 3000;
	my $secret = sub { $d->secrets("TERMINAL_KEY=$Daemon::KEY\nGOOD=$_[0]\n") };
	my $sent = sub { (my $a = $d->own('POST', '/api/dispatch', '{"key":"COUNT"}')->{body}) =~ /HTTP 200:\D*(\d+)/; return $1 };
	my $call = sub { return decode_json($d->own('POST', '/api/dispatch', '{"key":"DEAD"}')->{body})->{result} };
	$secret->('wrong-secret-value');
	for my $row ([ 'DEAD', '/auth', 'bearer:GOOD' ], [ 'COUNT', '/count', '' ]) {
		my $put = encode_json({ type => 'http', target => "GET http://$upstream$row->[1]", auth => $row->[2], content => '# WHAT: a row', examples => ['a'] });
		is($d->own('PUT', "/api/directory/$row->[0]", $put)->{status}, 201, "a row $row->[0]");
	}
	like($call->(), qr/^ERR:http:401/, 'a credential is refused') for 1 .. 8;
	my $n = $sent->();
	like($call->(), qr/^ERR:breaker_open:DEAD/, 'after eight times the breaker is open');
	clock($now + 3590);
	like($call->(), qr/^ERR:breaker_open:DEAD/, 'for an hour');
	is($sent->(), $n + 1, 'in which nothing is sent');
	clock($now + 3700);
	like($call->(), qr/^ERR:http:401/, 'then one call goes out');
	is($sent->(), $n + 3, 'to the upstream');
	like($call->(), qr/^ERR:breaker_open:DEAD/, 'and when it is refused too, no other');
	is($sent->(), $n + 4, 'is sent');
	$secret->('good-secret-value');
	clock($now + 7000);
	like($call->(), qr/^ERR:breaker_open:DEAD/, 'for another hour');
	clock($now + 7400);
	like($call->(), qr/^HTTP 200:/, 'a probe that succeeds');
	like($call->(), qr/^HTTP 200:/, 'closes it');
};

kill 'TERM', $pid;
unlike($d->log, qr/Sanitizer|runtime error/, 'no sanitizer has anything to say');
done_testing;
