#!/usr/bin/perl
# Clients that hang up: opens connections to 127.0.0.1:PORT, sends a call on each and closes it, at once or a moment later. Prints how many.
#   abort.pl PORT COUNT KEY CALL…     CALL: the JSON of a dispatch; one after the other
use strict;
use warnings;
use Socket qw(PF_INET SOCK_STREAM SOL_SOCKET SO_LINGER sockaddr_in inet_aton);
use Time::HiRes qw(sleep);

my ($port, $count, $key, @calls) = @ARGV;
my $to = sockaddr_in($port, inet_aton('127.0.0.1'));
my @requests = map {
	"POST /api/dispatch HTTP/1.1\r\nHost: localhost\r\nx-terminal-key: $key\r\nContent-Type: application/json\r\nContent-Length: " . length($_) . "\r\n\r\n$_"
} @calls;
my (@open, $done);
for my $i (1 .. $count) {
	socket(my $s, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
	# Half of them reset the connection, the others close it.
	setsockopt($s, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0)) if $i % 2;
	connect($s, $to) or die "connect: $!";
	syswrite $s, $requests[$i % @requests];
	$done++;
	push @open, $s;
	# Up to 100 are open for a while; some of them a little longer.
	if (@open > 100) {
		sleep 0.001 if $i % 7 == 0;
		splice @open, 0, 50;
	}
}
@open = ();
print "$done\n";
