#!/usr/bin/perl
# A server that is none of ours, by the first segment of the path. Prints its port; each request goes, with its headers, to the file in argument 1, if there
# is one. Ends when its parent does.
use strict;
use warnings;
use Compress::Zlib ();
use IO::Socket::INET;
use JSON::PP ();

my $listen = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "listen: $!";
$| = 1;
print $listen->sockport, "\n";
$SIG{PIPE} = 'IGNORE';
$SIG{TERM} = sub { exit 0 };
my ($parent, $pages, $rows) = (getppid(), 0, 0);
my @members = qw(rows events matches tokens approvals rules breakers changes key ok ran token id service status invocation_id cursor more after result proof error);

sub all { my ($value) = @_; JSON::PP->new->allow_nonref->encode({ map { $_ => $value } @members }) }

sub answer {
	my ($c, $status, $body, @headers) = @_;
	@headers = 'Content-Type: application/json' unless @headers;
	print $c join("\r\n", "HTTP/1.1 $status", 'Content-Length: ' . length $body, 'Connection: close', @headers, '', $body);
}

# Until the other side has had enough.
sub endless { my ($c, $head, $part) = @_; print $c $head and do { 1 while print $c $part } }

my %lies = (
	html    => sub { answer($_[0], '200 OK', '<p>Welcome', 'Content-Type: text/html') },
	moved   => sub { answer($_[0], '302 Found', '{"ok":true}', 'Content-Type: application/json', 'Location: http://127.0.0.1:' . $listen->sockport . '/stolen') },
	half    => sub { answer($_[0], '200 OK', '{"ok":true,"rows":[') },
	deep    => sub { answer($_[0], '200 OK', '[' x 100_000 . ']' x 100_000) },
	text    => sub { answer($_[0], '200 OK', all([]), 'Content-Type: text/plain') },
	null    => sub { answer($_[0], '200 OK', 'null') },
	list    => sub { answer($_[0], '200 OK', '[{"ok":true}]') },
	object  => sub { answer($_[0], '200 OK', '{}') },
	numbers => sub { answer($_[0], '200 OK', all(7)) },
	nested  => sub { answer($_[0], '200 OK', all([7, undef, 'x', [], { key => [] }])) },
	refusal => sub { answer($_[0], '400 No', '{"error":{"a":1},"detail":[1],"how_to_fix":5,"did_you_mean":{"a":1},"mint":[]}') },
	nothing => sub { answer($_[0], '204 No Content', '', 'X-Ok: true') },
	cut     => sub { my ($c) = @_; print $c "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"ok\":true}" },
	ssh     => sub { my ($c) = @_; print $c "SSH-2.0-OpenSSH_9.2\r\n" },
	closed  => sub { },
	gzip    => sub { answer($_[0], '200 OK', '{"ok":true}', 'Content-Type: application/json', 'Content-Encoding: gzip') },
	bomb    => sub { answer($_[0], '200 OK', Compress::Zlib::memGzip(' ' x (65 << 20)), 'Content-Type: application/json', 'Content-Encoding: gzip') },
	long    => sub { endless($_[0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10737418240\r\n\r\n", ' ' x 65536) },
	chunks  => sub { endless($_[0], "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", "10000\r\n" . '[' x 65536 . "\r\n") },
	interim => sub { endless($_[0], '', "HTTP/1.1 100 Continue\r\n\r\n" x 1000) },
	headers => sub { endless($_[0], "HTTP/1.1 200 OK\r\n", 'X-A: ' . 'b' x 1000 . "\r\n") },
	pages   => sub { $pages++; answer($_[0], '200 OK', qq({"rows":[{"key":"K"}],"cursor":"c\\n$pages"})) },
	dies    => sub {                # has no rows, takes one, and goes
		my ($c, $get) = @_;
		return answer($c, '404 Not Found', '{"error":"not_found"}') if $get;
		answer($c, '201 Created', '{"ok":true}') if !$rows++;
	},
	again   => sub { answer($_[0], '200 OK', '{"ok":true,"receipts":1,"more":true,"after":3,"before":"2026"}') },
);

while (getppid() == $parent) {
	my ($c, $head) = ($listen->accept // next, '');
	while ($head !~ /\r\n\r\n/) { sysread($c, $head, 65536, length $head) or last }
	if ($ARGV[0]) { open(my $log, '>>', $ARGV[0]) or die; print $log $head }
	my ($name) = $head =~ m{^\w+ /(\w+)};
	if (my $lie = $lies{ $name // '' }) { $lie->($c, $head =~ /^GET/) } else { answer($c, '404 Not Found', '{}') }
	shutdown $c, 1;
}
