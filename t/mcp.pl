#!/usr/bin/perl
# Somebody else's MCP server on a free port of 127.0.0.1, of either era, that behaves well and badly by path and by tool. Prints its port on the first
# line; each request is appended as a line "METHOD path [rpc-method [name]]" to the file in argument 1, its head and body to that file + ".last". Ends
# when its parent does.
#
#   /modern       2026-07-28; what headers and body do not agree on is refused       /auth      the same for a bearer of good-secret-value, else 401
#   /legacy       a session is needed                                                /stateless legacy without one
#   /old          404 to everything but initialize, and speaks 2024-11-05            /lost      legacy, and no session is known when a tool is called
#   /lists        says which versions it serves, older ones                          /future    the same, newer ones
#   /pages/N      modern, with a list of N tools, each on a page of its own
#   /strange      a version that nobody knows                                        /odd       a session id with a space in it
#   /status/N     always N            /307 /302   redirects to /modern               /away?H    a redirect to another host, H
#
# Tools: echo, add, image, audio, resource, blob, link, mixed, strange, fails, rpc, reflect, wait (ms); sse, crlf, open, endless, quiet, cut, notes
# (streams); other, noid, big (n), half, html, string, list, input, garbage, hang (what no server should do).
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP ();
use MIME::Base64 ();
use Time::HiRes qw(sleep);

my $log = $ARGV[0] // '/dev/null';
my $listen = IO::Socket::INET->new(Listen => 1024, LocalAddr => '127.0.0.1', LocalPort => 0, ReuseAddr => 1) or die "listen: $!";
$| = 1;
print $listen->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$SIG{TERM} = sub { exit 0 };
my $parent = getppid();
my $json = JSON::PP->new->canonical->utf8->allow_nonref;
my $chars = JSON::PP->new->canonical->allow_nonref;
my $PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
my $meta = 'io.modelcontextprotocol/';

sub append { my ($file, $text, $mode) = @_; open(my $f, $mode, $file) or return; syswrite $f, $text; close $f }
sub answer {
	my ($c, $code, $body, %h) = @_;
	$h{'Content-Type'} //= 'application/json';
	$h{'Content-Length'} //= length $body if $h{'Content-Type'} ne 'text/event-stream';
	print $c "HTTP/1.1 $code X\r\nConnection: close\r\n", (map { "$_: $h{$_}\r\n" } sort keys %h), "\r\n", $body;
}
sub result { my ($id, %r) = @_; $json->encode({ jsonrpc => '2.0', id => $id, result => { resultType => 'complete', %r } }) }
sub text { my ($id, $text, %more) = @_; result($id, content => [{ type => 'text', text => $text }], %more) }
sub error { my ($id, $code, $message, $data) = @_; $json->encode({ jsonrpc => '2.0', id => $id, error => { code => $code, message => $message, $data ? (data => $data) : () } }) }
sub stream { my ($c, $text) = @_; answer($c, 200, $text, 'Content-Type' => 'text/event-stream') }

my %tool = (
	echo => sub { my ($c, $r, $a) = @_; answer($c, 200, text($r->{id}, $chars->encode($a))) },
	add => sub { my ($c, $r, $a) = @_; my $o = { sum => $a->{a} + $a->{b} }; answer($c, 200, text($r->{id}, $chars->encode($o), structuredContent => $o)) },
	image => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [{ type => 'image', mimeType => 'image/png', data => $PNG }])) },
	audio => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [{ type => 'audio', mimeType => 'audio/wav', data => 'UklGRg==' }])) },
	resource => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [{ type => 'resource', resource => { uri => 'x://y', text => 'the text of it' } }])) },
	blob => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [{ type => 'resource', resource => { uri => 'x://y', mimeType => 'application/pdf', blob => 'JVBERg==' } }])) },
	link => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [{ type => 'resource_link', uri => 'x://y', name => 'y' }])) },
	mixed => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [{ type => 'text', text => 'one' }, { type => 'image', mimeType => "no type\n", data => '!' }, { type => 'text', text => 'two' }])) },
	strange => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, content => [7, 'x', { type => 'hologram' }, { type => 'text' }, { type => 'text', text => 'end' }])) },
	fails => sub { my ($c, $r) = @_; answer($c, 200, text($r->{id}, 'it did not work', isError => JSON::PP::true)) },
	rpc => sub { my ($c, $r) = @_; answer($c, 200, error($r->{id}, -32602, "bad \x01 arguments")) },
	reflect => sub { my ($c, $r, $a, $h) = @_; my $v = $h->{authorization} // ''; answer($c, 200, result($r->{id}, isError => $a->{fail}, content => [
		{ type => 'text', text => $v }, { type => 'image', mimeType => 'image/png', data => MIME::Base64::encode("xx$v", '') }], structuredContent => { seen => $v })) },
	leak => sub { my ($c, $r, $a, $h) = @_; answer($c, 200, error($r->{id}, -32000, 'because of ' . ($h->{authorization} // ''))) },
	wait => sub { my ($c, $r, $a) = @_; sleep $a->{ms} / 1000; answer($c, 200, text($r->{id}, 'late')) },
	sse => sub { my ($c, $r) = @_; my $t = text($r->{id}, 'streamed'); stream($c, ": hello\n\nevent: message\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n" .
		"data: {\"jsonrpc\":\"2.0\",\"id\":$r->{id},\"method\":\"ping\"}\n\ndata: " . error(99, 1, 'another') . "\n\ndata: $t\n\n") },
	crlf => sub { my ($c, $r) = @_; stream($c, "\xEF\xBB\xBFretry: 5\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":$r->{id},\r\ndata:\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"three lines\"}]}}\r\n\r\n") },
	open => sub { my ($c, $r) = @_; stream($c, 'data: ' . text($r->{id}, 'and it goes on') . "\n\n"); sleep 60 },
	endless => sub { my ($c) = @_; stream($c, ''); while (print $c ": still here\n\n") { sleep 0.2 } },
	quiet => sub { my ($c) = @_; stream($c, ": nothing\n\n") },
	cut => sub { my ($c, $r) = @_; stream($c, 'data: ' . text($r->{id}, 'without an end') . "\n") },
	notes => sub { my ($c, $r, $a) = @_; stream($c, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n" x $a->{n} . 'data: ' . text($r->{id}, 'after them') . "\n\n") },
	other => sub { my ($c, $r) = @_; answer($c, 200, text($r->{id} + 1, 'for another')) },
	noid => sub { my ($c, $r) = @_; answer($c, 200, text(undef, 'for nobody')) },
	big => sub { my ($c, $r, $a) = @_; answer($c, 200, text($r->{id}, 'x' x $a->{n})) },
	half => sub { my ($c, $r) = @_; answer($c, 200, substr text($r->{id}, 'half'), 0, 30) },
	html => sub { my ($c) = @_; answer($c, 502, '<html>Bad gateway</html>', 'Content-Type' => 'text/html') },
	string => sub { my ($c) = @_; answer($c, 200, '"text"') },
	list => sub { my ($c, $r) = @_; answer($c, 200, '[' . text($r->{id}, 'a batch') . ']') },
	input => sub { my ($c, $r) = @_; answer($c, 200, result($r->{id}, resultType => 'input_required', inputRequests => {})) },
	garbage => sub { my ($c) = @_; print $c "\0\1\2 nothing of HTTP\r\n\r\n" },
	hang => sub { sleep 60 },
	'grüße' => sub { my ($c, $r) = @_; answer($c, 200, text($r->{id}, 'hallo')) },
);

sub call {
	my ($c, $r, $h) = @_;
	my $name = $r->{params}{name};
	utf8::encode($name);
	return $tool{$name} ? $tool{$name}->($c, $r, $r->{params}{arguments} // {}, $h) : answer($c, 200, error($r->{id}, -32602, "unknown tool: $name"));
}

# Two to a page.
sub list {
	my ($c, $r) = @_;
	my @all = sort keys %tool;
	my $at = $r->{params}{cursor} // 0;
	my @page = grep { defined } @all[$at .. $at + 1];
	answer($c, 200, result($r->{id}, tools => [map { { name => $_, inputSchema => { type => 'object' } } } @page], $at + 2 < @all ? (nextCursor => '' . ($at + 2)) : ()));
}

sub plain { my ($v) = @_; return $v =~ /^=\?base64\?(.*)\?=$/ ? MIME::Base64::decode($1) : $v }

sub modern {
	my ($c, $r, $h) = @_;
	my $m = $r->{params}{_meta} // {};
	my $name = $r->{params}{name} // '';
	my $city = $r->{params}{arguments}{city} // '';
	utf8::encode($_) for $name, $city;
	return answer($c, 400, error($r->{id}, -32602, 'no capabilities')) if ref $m->{"${meta}clientCapabilities"} ne 'HASH';
	return answer($c, 400, error($r->{id}, -32022, 'version', { supported => ['2026-07-28'], requested => $m->{"${meta}protocolVersion"} })) if ($m->{"${meta}protocolVersion"} // '') ne '2026-07-28';
	return answer($c, 400, error($r->{id}, -32020, 'headers')) if $h->{'mcp-protocol-version'} ne '2026-07-28' || $h->{'mcp-method'} ne $r->{method} || plain($h->{'mcp-name'} // '') ne $name ||
		exists $h->{'mcp-session-id'} || $h->{accept} ne 'application/json, text/event-stream' || plain($h->{'mcp-param-city'} // '') ne $city;
	return answer($c, 200, result($r->{id}, supportedVersions => ['2026-07-28'], capabilities => { tools => {} })) if $r->{method} eq 'server/discover';
	return list($c, $r) if $r->{method} eq 'tools/list';
	return call($c, $r, $h) if $r->{method} eq 'tools/call';
	return answer($c, 404, error($r->{id}, -32601, 'no such method'));
}

sub legacy {
	my ($c, $r, $h, $method, %how) = @_;
	my $version = $how{version} // '2025-11-25';
	my $session = $h->{'mcp-session-id'};
	return answer($c, 200, result($r->{id}, protocolVersion => $version, capabilities => {}, serverInfo => { name => 'x', version => '1' }), $how{session} ? ('Mcp-Session-Id' => $how{session}) : ())
		if ($r->{method} // '') eq 'initialize';
	return answer($c, $how{else} // 400, error(undef, -32000, 'Bad Request: No valid session ID provided')) if $how{session} && ($session // '') ne $how{session};
	return answer($c, 200, '') if $method eq 'DELETE';
	return answer($c, 400, error($r->{id}, -32000, 'version')) if ($h->{'mcp-protocol-version'} // '') ne $version && $r->{method} ne 'server/discover';
	return answer($c, 202, '') if !exists $r->{id};
	return answer($c, 404, error($r->{id}, -32001, 'Session not found')) if $how{lost} && $r->{method} eq 'tools/call';
	return list($c, $r) if $r->{method} eq 'tools/list';
	return call($c, $r, $h) if $r->{method} eq 'tools/call';
	return answer($c, 200, error($r->{id}, -32601, 'Method not found'));
}

my %place = (
	modern => sub { my ($c, $r, $h) = @_; modern($c, $r, $h) },
	auth => sub { my ($c, $r, $h) = @_; ($h->{authorization} // '') eq 'Bearer good-secret-value' ? modern($c, $r, $h) : answer($c, 401, error(undef, -32000, 'who are you'), 'WWW-Authenticate' => 'Bearer') },
	legacy => sub { my ($c, $r, $h, $m) = @_; legacy($c, $r, $h, $m, session => 'session-of-4711') },
	stateless => sub { my ($c, $r, $h, $m) = @_; legacy($c, $r, $h, $m) },
	old => sub { my ($c, $r, $h, $m) = @_; legacy($c, $r, $h, $m, version => '2024-11-05', session => 'old', else => 404) },
	lost => sub { my ($c, $r, $h, $m) = @_; legacy($c, $r, $h, $m, session => 'lost', lost => 1) },
	lists => sub { my ($c, $r, $h, $m) = @_; ($r->{method} // '') eq 'server/discover' ? answer($c, 400, error($r->{id}, -32022, 'older', { supported => ['2025-06-18'], requested => '2026-07-28' })) : legacy($c, $r, $h, $m, version => '2025-06-18') },
	pages => sub {
		my ($c, $r, $h, $m, $rest) = @_;
		my $at = $r->{params}{cursor} // 1;
		return modern($c, $r, $h) if ($r->{method} // '') ne 'tools/list';
		answer($c, 200, result($r->{id}, tools => [{ name => "tool_$at", description => "Tool $at.", inputSchema => { type => 'object' } }], $at < $rest ? (nextCursor => '' . ($at + 1)) : ()));
	},
	future => sub { my ($c, $r) = @_; answer($c, 400, error($r->{id}, -32022, 'newer', { supported => ['2099-01-01'], requested => '2026-07-28' })) },
	strange => sub { my ($c, $r, $h, $m) = @_; legacy($c, $r, $h, $m, version => '1999-01-01', session => 's') },
	odd => sub { my ($c, $r, $h, $m) = @_; legacy($c, $r, $h, $m, session => 'two words') },
	status => sub { my ($c, $r, $h, $m, $rest) = @_; answer($c, $rest, "status $rest", 'Content-Type' => 'text/plain') },
	307 => sub { my ($c) = @_; answer($c, 307, '', Location => '/modern') },
	302 => sub { my ($c) = @_; answer($c, 302, '', Location => '/modern') },
	away => sub { my ($c, $r, $h, $m, $rest, $query) = @_; answer($c, 307, '', Location => "http://$query/modern") },
);

while (1) {
	my $ready = '';
	vec($ready, fileno($listen), 1) = 1;
	exit 0 if getppid() != $parent;
	next if select(my $r = $ready, undef, undef, 1) <= 0;
	my $c = $listen->accept or next;
	next if fork;
	close $listen;
	$SIG{PIPE} = 'DEFAULT';
	local $/ = "\r\n";
	my $line = <$c> // '';
	my ($method, $target) = split / /, $line;
	exit 0 if !defined $target;
	my (%h, $head);
	while (defined(my $l = <$c>) && 1) {
		last if $l eq "\r\n";
		$head .= $l;
		my ($k, $v) = $l =~ /^([^:]+): *(.*?)\r\n$/ or next;
		$h{lc $k} = $v;
	}
	read($c, my $body, $h{'content-length'} // 0);
	my $r = eval { $json->decode($body) } // {};
	my $name = $r->{params}{name} // '';
	utf8::encode($name);
	append($log, join(' ', grep { length } $method, $target, $r->{method} // '', $name) . "\n", '>>');
	append("$log.last", "$line$head$body\n", '>');
	my ($path, $query) = split /\?/, $target, 2;
	my (undef, $place, $rest) = split m{/}, $path, 3;
	$place{$place // ''} ? $place{$place}->($c, $r, \%h, $method, $rest, $query) : answer($c, 404, 'nothing here', 'Content-Type' => 'text/plain');
	close $c;
	exit 0;
}
