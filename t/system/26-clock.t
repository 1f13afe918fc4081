#!/usr/bin/perl
# What happens after a minute or an hour, under a clock that is put forward: idle connections, the breaker's probe. And under one that is set back: nothing
# that has expired comes back.
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

$d->stop;

# The wall clock alone is moved, as an administrator or NTP does.
subtest 'a clock that is set' => sub {
	my $s = Daemon->new;
	my $set = sub { Daemon::put("$s->{dir}/clock.new", sprintf("%+d\n", $_[0]), 0644); rename "$s->{dir}/clock.new", "$s->{dir}/clock" };
	{
		local $ENV{LD_PRELOAD} = $faketime;
		local $ENV{FAKETIME_TIMESTAMP_FILE} = "$s->{dir}/clock";
		local $ENV{FAKETIME_NO_CACHE} = 1;
		local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
		$set->(0);
		$s->start or BAIL_OUT($s->log);
	}
	ok($s->load('ECHO'), 'a row');
	my $mint = sub { return decode_json($s->own('POST', '/api/tokens', encode_json($_[0]))->{body})->{token} };
	my $call = sub {
		my %said;
		for (1 .. 8) {
			my $a = decode_json($s->ask('POST', '/api/dispatch', '{"key":"ECHO","body":"x"}', HTTP_AUTHORIZATION => "Bearer $_[0]")->{body});
			$said{$a->{error} // ($a->{invocation}{duration_ms} >= 0 ? 'ran' : 'negative')}++;
		}
		return join ',', map { "$_ $said{$_}" } sort keys %said;
	};
	my ($hour, $days) = ($mint->({ scope => 'act', ttl => 3600 }), $mint->({ scope => 'act', ttl => 864000 }));
	is($call->($hour), 'ran 8', 'a token for an hour');
	$set->(-7200);
	is($call->($hour), 'ran 8', 'a clock that is set back two hours takes nothing from it');
	$set->(7200);
	is($call->($hour), 'expired 8', 'two hours later it has expired');
	$set->(0);
	is($call->($hour), 'expired 8', 'and is not alive again when the clock is set back, in any worker');
	is($call->($days), 'ran 8', 'one that had time left has it still');
	my $rate = $mint->({ scope => 'act', ttl => 864000, rate => 3 });
	is($call->($rate), 'ran 3,rate_exceeded 5', 'three calls a minute');
	$set->(-86400);
	is($call->($rate), 'ran 3,rate_exceeded 5', 'a day back they are counted anew, not for a day');
	$set->(2147483648 - time - 2);
	is(decode_json($s->own('POST', '/api/dispatch', '{"key":"ECHO","body":"x"}')->{body})->{ok}, JSON::PP::true, 'shortly before the seconds have 32 bits a call runs');
	sleep 2.5;
	my $id = decode_json($s->own('POST', '/api/dispatch', '{"key":"ECHO","body":"x"}')->{body})->{invocation}{id};
	is(decode_json($s->own('GET', "/api/dispatch?receipt=$id")->{body})->{time} =~ /^2038-01-19T03:14:/, 1, 'and shortly after');
	$set->(315360000);
	is(decode_json($s->own('POST', '/api/dispatch', '{"key":"ECHO","body":"x"}')->{body})->{ok}, JSON::PP::true, 'ten years from now');
	is($call->($days), 'expired 8', 'what had days left has not');
	ok($s->stop, 'it stops');
};

kill 'TERM', $pid;
unlike($d->log, qr/Sanitizer|runtime error/, 'no sanitizer has anything to say');
done_testing;
