#!/usr/bin/perl
# Listeners for tests: COUNT clients of /mcp, each on a connection of its own, call subscriptions/listen and read. The file OUT has at every moment the line
# "ACKNOWLEDGED CHANGED REFUSED ENDED": how many have been told that they listen, that something has changed, were refused, are at the end of their stream.
# Ends when all streams have, or its parent does.
#
#   listen.pl HOST:PORT COUNT OUT [HEADER…]
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;

my ($host, $count, $out, @headers) = @ARGV;
$host =~ s{^http://}{};
my $std = 'io.modelcontextprotocol';
my $body = qq({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},) .
	qq("_meta":{"$std/protocolVersion":"2026-07-28","$std/clientCapabilities":{}}}});
my $request = join "\r\n", 'POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', 'Accept: application/json, text/event-stream',
	'MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: subscriptions/listen', 'Connection: close', 'Content-Length: ' . length $body, @headers, '', $body;
my ($select, %read, %has) = (IO::Select->new);
my $parent = getppid;

sub tell_all {
	my %n;
	for my $h (values %has) { $n{$_}++ for keys %$h }
	open my $f, '>', "$out.new" or die "$out: $!";
	print $f join(' ', map { $n{$_} // 0 } qw(acknowledged changed refused ended)), "\n";
	close $f;
	rename "$out.new", $out or die "$out: $!";
}

for (1 .. $count) {
	my $c = IO::Socket::INET->new(PeerAddr => $host, Timeout => 10) or die "connect: $!";
	syswrite $c, $request;
	$select->add($c);
}
while ($select->count && getppid == $parent) {
	for my $c ($select->can_read(0.2)) {
		my $more = sysread $c, $read{$c}, 65536, length($read{$c} // '');
		my $h = $has{$c} //= {};
		$h->{acknowledged} = 1 if $read{$c} =~ m{subscriptions/acknowledged};
		$h->{changed} = 1 if $read{$c} =~ m{tools/list_changed};
		$h->{refused} = 1 if $read{$c} =~ m{^HTTP/1.1 503 .*too_many_streams}s;
		next if $more;
		$h->{ended} = 1;
		$select->remove($c);
		close $c;
	}
	tell_all();
}
