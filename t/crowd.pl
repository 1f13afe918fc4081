#!/usr/bin/perl
# A crowd for tests: COUNT clients, each on a connection of its own, send one request each; then the answers are awaited, and for each a line with its
# status and the first match of REGEX in it (or "-") is written to standard output. One process: what waits costs nothing.
#
#   crowd.pl HOST:PORT COUNT SECONDS REGEX METHOD PATH BODY [HEADER…]
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;

my ($host, $count, $seconds, $regex, $method, $path, $body, @headers) = @ARGV;
$host =~ s{^http://}{};
my $request = join "\r\n", "$method $path HTTP/1.1", 'Host: localhost', 'Connection: close', 'Content-Type: application/json', 'Content-Length: ' . length $body, @headers,
	'', $body;
my ($select, %answer) = (IO::Select->new);
for (1 .. $count) {
	my $c = IO::Socket::INET->new(PeerAddr => $host, Timeout => 10);
	if (!$c) { print "000 -\n"; next }
	syswrite $c, $request;
	$select->add($c);
}
my $end = time + $seconds;
while ($select->count && time < $end) {
	for my $c ($select->can_read(1)) {
		next if sysread $c, $answer{$c}, 65536, length($answer{$c} // '');
		my ($status) = ($answer{$c} // '') =~ /^HTTP\/1\.1 (\d+)/;
		my ($match) = ($answer{$c} // '') =~ /$regex/;
		print $status // '000', ' ', defined $match ? $& : '-', "\n";
		$select->remove($c);
		close $c;
	}
}
print "000 -\n" for 1 .. $select->count;
