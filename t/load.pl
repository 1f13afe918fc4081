#!/usr/bin/perl
# Load for tests: PROCESSES clients send requests over kept plain-HTTP connections until SECONDS have passed or COUNT requests were sent in all, and
# write one line for each answer to standard output: status, then the first match of REGEX in the body (or "-"). A connection that ends
# before its answer is status 000; the client connects again.
#
#   load.pl HOST:PORT PROCESSES SECONDS COUNT REGEX METHOD PATH [BODY [HEADER…]]      {n} in PATH and BODY is a number of its own for each request
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(time sleep);

my ($host, $processes, $seconds, $count, $regex, $method, $path, $body, @headers) = @ARGV;
$host =~ s{^http://}{};
$| = 1;
my $end = time + $seconds;
my $each = $count > 0 ? int(($count + $processes - 1) / $processes) : 1e9;

sub one {
	my ($c, $n) = @_;
	(my $p = $path) =~ s/\{n\}/$n/g;
	(my $b = $body // '') =~ s/\{n\}/$n/g;
	my $request = "$method $p HTTP/1.1\r\nHost: localhost\r\n" . join('', map { "$_\r\n" } @headers);
	$request .= "Content-Type: application/json\r\nContent-Length: " . length($b) . "\r\n" if length $b;
	print $c "$request\r\n$b" or return ('000', '-');
	my ($status, $length, $chunked) = ('000', 0, 0);
	my $first = <$c> // return ('000', '-');
	($status) = $first =~ /^HTTP\/1\.1 (\d+)/;
	while (defined(my $line = <$c>)) {
		last if $line eq "\r\n";
		$length = $1 if $line =~ /^content-length: (\d+)/i;
		$chunked = 1 if $line =~ /^transfer-encoding: chunked/i;
	}
	my $answer = '';
	if ($chunked) {
		while (defined(my $size = <$c>)) {
			my $n = hex $size;
			my $part = '';
			read($c, $part, $n + 2) == $n + 2 or return ('000', '-');
			last unless $n;
			$answer .= substr $part, 0, $n;
		}
	} else {
		read($c, $answer, $length) == $length or return ('000', '-');
	}
	return ($status, $answer =~ /$regex/ ? ($1 // $&) : '-');
}

$SIG{PIPE} = 'IGNORE';
for my $p (1 .. $processes) {
	next if fork();
	my ($c, $out) = (undef, '');
	for (my $i = 0; $i < $each && time < $end; $i++) {
		$c //= IO::Socket::INET->new(PeerAddr => $host, Timeout => 5);
		my ($status, $found) = $c ? one($c, $p * 10_000_000 + $i) : ('000', '-');
		if ($status eq '000') {
			undef $c;
			sleep 0.01;
		}
		syswrite STDOUT, "$status $found\n";
	}
	exit 0;
}
1 while wait() > 0;
