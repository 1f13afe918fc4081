#!/usr/bin/perl
# Somebody else's server: a small HTTP/1.1 server on a free port of 127.0.0.1 that behaves like real ones, well or badly, by path.
# Prints its port on the first line, then counts nothing away: every request is appended as one line "METHOD path" to the file in argument 1, and
# its headers and body to that file + ".last". Ends when its parent does.
#
#   /v1/forecast…      the weather API of the article        /echo          the request as JSON (method, path, headers, body)
#   /status/N          answers N (with a small body)         /slow/MS       answers after MS milliseconds
#   /redirect/N?to=U   N with Location: U                    /big/N         N bytes of text
#   /gzip/N            N zero bytes, gzip-encoded            /hang          never answers
#   /cut               Content-Length larger than the body   /binary        bytes that are no text
#   /latin1            text in ISO-8859-1                    /headers       hostile headers of its own
#   /header/N           a header line of N bytes
#   /pad/N?T           N bytes, the text T, 200 KB more; /bin/pad/N?T the same as binary
#   /count             how many requests came, this one too  /auth          200 when Authorization is "Bearer good-secret-value", else 401
#   /oauth/token       an OAuth 2 client credentials answer  /garbage       bytes that are no HTTP
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(sleep);
use Compress::Zlib ();
use Encode ();
use JSON::PP ();

my $log = $ARGV[0] // '/dev/null';
my $listen = IO::Socket::INET->new(Listen => 1024, LocalAddr => '127.0.0.1', LocalPort => $ARGV[1] // 0, ReuseAddr => 1) or die "listen: $!";
$| = 1;
print $listen->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
my $parent = getppid();
my $json = JSON::PP->new->canonical->utf8;
my $count = "$log.count";

sub answer {
	my ($c, $code, $body, %h) = @_;
	$h{'Content-Type'} //= 'application/json';
	$h{'Content-Length'} //= length $body;
	print $c "HTTP/1.1 $code X\r\n", (map { "$_: $h{$_}\r\n" } sort keys %h), "\r\n", $body;
}

sub append {
	my ($file, $text, $mode) = @_;
	open(my $f, $mode, $file) or return;
	syswrite $f, $text;
	close $f;
}

sub unpercent { my ($t) = @_; $t =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge; $t }

my %routes = (
	'v1' => sub { my ($c) = @_; answer($c, 200, '{"latitude":37.763283,"longitude":-122.41286,"current":{"time":"2026-07-26T04:30","interval":900,"temperature_2m":15.7}}') },
	'echo' => sub { my ($c, $r) = @_; answer($c, 200, $json->encode({ %$r, body => Encode::decode("UTF-8", $r->{body}) })) },
	'status' => sub { my ($c, $r) = @_; my ($n) = $r->{path} =~ m{/status/(\d+)}; answer($c, $n, "{\"status\":$n}") },
	'slow' => sub { my ($c, $r) = @_; my ($ms) = $r->{path} =~ m{/slow/(\d+)}; sleep($ms / 1000); answer($c, 200, "{\"slow\":$ms}") },
	'redirect' => sub { my ($c, $r) = @_; my ($n, $to) = $r->{path} =~ m{/redirect/(\d+)\?to=(.*)}; answer($c, $n, '', Location => unpercent($to)) },
	'big' => sub { my ($c, $r) = @_; my ($n) = $r->{path} =~ m{/big/(\d+)}; answer($c, 200, 'x' x $n, 'Content-Type' => 'text/plain') },
	'gzip' => sub { my ($c, $r) = @_; my ($n) = $r->{path} =~ m{/gzip/(\d+)}; answer($c, 200, Compress::Zlib::memGzip('0' x $n), 'Content-Encoding' => 'gzip', 'Content-Type' => 'text/plain') },
	'header' => sub { my ($c, $r) = @_; my ($n) = $r->{path} =~ m{/header/(\d+)}; answer($c, 200, 'ok', 'X-Long' => 'x' x $n) },
	'pad' => sub { my ($c, $r) = @_; my ($n, $t) = $r->{path} =~ m{/pad/(\d+)\?(.*)}; answer($c, 200, 'x' x $n . unpercent($t) . 'y' x 200000, 'Content-Type' => 'text/plain') },
	'bin' => sub { my ($c, $r) = @_; my ($n, $t) = $r->{path} =~ m{/pad/(\d+)\?(.*)}; answer($c, 200, 'x' x $n . unpercent($t) . 'y' x 200000, 'Content-Type' => 'image/png') },
	'hang' => sub { sleep 120 },
	'cut' => sub { my ($c) = @_; answer($c, 200, '{"cut":', 'Content-Length' => 1000) },
	'binary' => sub { my ($c) = @_; answer($c, 200, "\x89PNG\r\n\x1a\n\x00\xff", 'Content-Type' => 'image/png') },
	'latin1' => sub { my ($c) = @_; answer($c, 200, "caf\xe9", 'Content-Type' => 'text/plain; charset=ISO-8859-1') },
	'headers' => sub { my ($c) = @_; answer($c, 200, '<b>hi</b>', 'Content-Type' => 'text/html', 'Set-Cookie' => 'evil=1', 'Access-Control-Allow-Origin' => '*', 'X-Evil' => '1') },
	'count' => sub { my ($c) = @_; answer($c, 200, -s $count) },
	'auth' => sub { my ($c, $r) = @_; ($r->{headers}{authorization} // '') eq 'Bearer good-secret-value' ? answer($c, 200, '{"ok":true}') : answer($c, 401, '{"error":"bad key"}') },
	'oauth' => sub { my ($c) = @_; answer($c, 200, '{"access_token":"issued-token-' . (-s $count) . '","token_type":"Bearer","expires_in":3600}') },
	'garbage' => sub { my ($c) = @_; print $c "\x00\x01not http at all\r\n\r\n" },
);

sub serve {
	my ($c) = @_;
	while (1) {
		my $head = '';
		while ($head !~ /\r\n\r\n/) {
			my $line = <$c>;
			return unless defined $line;
			$head .= $line;
		}
		my ($method, $path) = $head =~ /^(\S+) (\S+)/ or return;
		my %h;
		for my $line (split /\r\n/, $head) {
			$h{lc $1} = $2 if $line =~ /^([^:\s]+):\s*(.*)$/;
		}
		my $body = '';
		read($c, $body, $h{'content-length'}) if $h{'content-length'};
		append($log, "$method $path\n", '>>');
		append($count, '.', '>>');
		append("$log.last", $head . $body, '>');
		my ($first) = $path =~ m{^/([^/?]*)};
		my $route = $routes{$first};
		$route ? $route->($c, { method => $method, path => $path, headers => \%h, body => $body }) : answer($c, 404, '{"error":"no such path"}');
		$c->flush;
		return if $first eq 'cut' || $first eq 'garbage';
	}
}

while (1) {
	my $ready = '';
	vec($ready, fileno($listen), 1) = 1;
	if (select($ready, undef, undef, 1) < 1) {
		exit 0 if getppid() != $parent;
		next;
	}
	my $c = $listen->accept or next;
	my $pid = fork() // next;
	if ($pid == 0) {
		close $listen;
		$SIG{ALRM} = sub { exit 0 };
		alarm 180;
		binmode $c;
		serve($c);
		exit 0;
	}
	close $c;
}
