#!/usr/bin/perl
# Somebody else's server: a small HTTP/1.1 server on a free port of 127.0.0.1 that behaves like real ones, well or badly, by path.
# Prints its port on the first line, then counts nothing away: every request is appended as one line "METHOD path" to the file in argument 1 (without one, in
# a folder of its own), and its headers and body to that file + ".last". Ends when its parent does.
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
#   /oauth/special     one with a token of special characters; /oauth/tell: an error that repeats what it was asked with
#   /reflect/FORM/P/N  the credential of the request in that form (%forms), status N, in the place P: body, header, location, reason, type
use strict;
use warnings;
use File::Temp qw(tempdir);
use IO::Socket::INET;
use Time::HiRes qw(sleep);
use Compress::Zlib ();
use Encode ();
use JSON::PP ();
use MIME::Base64 ();

my $folder = tempdir('upstream-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $log = $ARGV[0] // "$folder/log";
my $listen = IO::Socket::INET->new(Listen => 1024, LocalAddr => '127.0.0.1', LocalPort => $ARGV[1] // 0, ReuseAddr => 1) or die "listen: $!";
$| = 1;
print $listen->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
$SIG{TERM} = sub { exit 0 };
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

# What proves who the caller is, as the request holds it, decoded.
sub credentials {
	my ($r) = @_;
	my ($scheme, $value) = split / /, $r->{headers}{authorization} // '', 2;
	$value = MIME::Base64::decode($value) if ($scheme // '') eq 'Basic';
	return join ' ', grep { defined } $value, $r->{headers}{'x-key'}, map { unpercent($_) } $r->{path} =~ /[?&]key=([^&]*)/;
}
sub percent { my ($t, $form) = @_; $t =~ s/([^A-Za-z0-9_.~-])/sprintf $form, ord $1/ge; $t }
sub digits { MIME::Base64::encode($_[0], '') }
my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');
my %forms = (
	raw => sub { $_[0] },
	json => sub { JSON::PP->new->allow_nonref->encode(Encode::decode('UTF-8', $_[0])) =~ s/^"|"$//gr =~ s/([^\x00-\x7f])/Encode::encode('UTF-8', $1)/ger },
	html => sub { $_[0] =~ s/([&<>"'])/$entity{$1}/gr },
	percent => sub { percent($_[0], '%%%02X') }, percent_lower => sub { percent($_[0], '%%%02x') },
	form => sub { percent($_[0], '%%%02X') =~ s/%20/+/gr },
	base64_0 => sub { digits($_[0]) }, base64_1 => sub { digits("u$_[0]") }, base64_2 => sub { digits("us$_[0]s") },
	base64url => sub { digits("u:$_[0]") =~ tr{+/=}{-_}dr },
	base64_lines => sub { MIME::Base64::encode('x' x 50 . $_[0] . 'y' x 50) =~ s/\n/\r\n/gr },
	hex => sub { unpack 'H*', $_[0] },
);
my %places = (
	body => sub { my ($c, $code, $t) = @_; answer($c, $code, "you said $t", 'Content-Type' => 'text/plain') },
	header => sub { my ($c, $code, $t) = @_; answer($c, $code, 'in a header', 'X-Said' => $t, 'Set-Cookie' => "said=$t", 'Retry-After' => $t) },
	location => sub { my ($c, $code, $t) = @_; answer($c, $code, 'elsewhere', 'Location' => "http://elsewhere.invalid/?said=$t") },
	reason => sub { my ($c, $code, $t) = @_; print $c "HTTP/1.1 $code $t\r\nContent-Length: 2\r\n\r\nok" },
	type => sub { my ($c, $code, $t) = @_; answer($c, $code, "\x00\xff", 'Content-Type' => "image/$t") },
	binary => sub { my ($c, $code, $t) = @_; answer($c, $code, "\x00\xff$t", 'Content-Type' => 'image/png') },
);

my %routes = (
	'reflect' => sub {
		my ($c, $r) = @_;
		my (undef, undef, $form, $place, $code) = split m{[/?]}, $r->{path};
		$places{$place}->($c, $code, $forms{$form}->(credentials($r)));
	},
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
	'oauth' => sub {
		my ($c, $r) = @_;
		return answer($c, 400, $json->encode({ error => 'invalid_client', error_description => credentials($r) . $r->{body} })) if $r->{path} =~ /tell/;
		return answer($c, 200, '{"access_token":"' . 'canary-oauth-T\"<\\\\&+/%' . (-s $count) . '","expires_in":3600}') if $r->{path} =~ /special/;
		answer($c, 200, '{"access_token":"issued-token-' . (-s $count) . '","token_type":"Bearer","expires_in":3600}');
	},
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
