#!/usr/bin/perl
# Somebody else's model: an OpenAI-compatible chat endpoint on a free port of 127.0.0.1, one process for any number of connections, that behaves like
# real ones, well or badly. Prints its port on the first line; each request's body is appended as one line to the file in argument 1, its head
# written to that file + ".head". Ends when its parent does.
#
# What it answers is written in the request: a line "SCRIPT" in the system prompt (else in the user's message), and behind it the answers, separated by
# lines "--"; the answer to the first request of a conversation is the first, and so on, the last one again and again. An answer is the model's text, or
#   !status N [RETRY-AFTER]  an error of the endpoint          !busy N        429 with Retry-After 0 for N requests, then the next answer
#   !html                    a proxy's page with status 502    !broken        half a JSON text
#   !empty !null !nochoice   no choices, content null, {}      !error         200 with an error object
#   !length TEXT             cut by its length                 !filter TEXT   cut by a filter
#   !parts TEXT              content as an array of parts      !stream TEXT   text/event-stream
#   !usage IN OUT TEXT       says that it used so much         !big N         N bytes of text
#   !slow MS TEXT            after MS milliseconds             !hold TEXT     when the file in argument 1 + ".go" is there
#   !last                    the last message that it was sent, word for word
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP ();
use Time::HiRes qw(time);

my $log = $ARGV[0] // '/dev/null';
my $listen = IO::Socket::INET->new(Listen => 1024, LocalAddr => '127.0.0.1', LocalPort => 0, ReuseAddr => 1, Blocking => 0) or die "listen: $!";
$| = 1;
print $listen->sockport, "\n";
$SIG{PIPE} = 'IGNORE';
my $parent = getppid();
my $json = JSON::PP->new->canonical->utf8;
my (%conn, %busy, @later);

sub append { my ($file, $text, $mode) = @_; open(my $f, $mode, $file) or return; syswrite $f, $text; close $f }

sub reply {
	my ($c, $code, $body, %h) = @_;
	$h{'Content-Type'} //= 'application/json';
	$c->{out} .= "HTTP/1.1 $code X\r\n" . join('', map { "$_: $h{$_}\r\n" } sort keys %h) . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

sub choice {
	my ($c, $content, %more) = @_;
	my $usage = $more{usage} // { prompt_tokens => 100, completion_tokens => 10, total_tokens => 110 };
	reply($c, 200, $json->encode({ id => 'x', object => 'chat.completion', usage => $usage,
		choices => [{ index => 0, finish_reason => $more{finish} // 'stop', message => { role => 'assistant', content => $content } }] }));
}

sub later { my ($ready, $c, $text) = @_; push @later, [$ready, sub { choice($c, $text) }] }

my %do = (
	status => sub { my ($c, $a) = @_; my ($n, $after) = split / /, $a; reply($c, $n, "{\"error\":{\"message\":\"status $n\",\"type\":\"t\"}}", defined $after ? ('Retry-After' => $after) : ()) },
	html => sub { my ($c) = @_; reply($c, 502, '<html><body>Bad gateway</body></html>', 'Content-Type' => 'text/html') },
	broken => sub { my ($c) = @_; reply($c, 200, '{"choices":[{"message":{"content":"[NOW]') },
	empty => sub { my ($c) = @_; reply($c, 200, '{"choices":[]}') },
	null => sub { my ($c) = @_; choice($c, undef) },
	nochoice => sub { my ($c) = @_; reply($c, 200, '{}') },
	error => sub { my ($c) = @_; reply($c, 200, '{"error":{"message":"the model is asleep"}}') },
	length => sub { my ($c, $a) = @_; choice($c, $a, finish => 'length') },
	filter => sub { my ($c, $a) = @_; choice($c, $a, finish => 'content_filter') },
	parts => sub { my ($c, $a) = @_; choice($c, [{ type => 'text', text => substr($a, 0, 3) }, { type => 'image' }, { type => 'text', text => substr($a, 3) }]) },
	stream => sub { my ($c, $a) = @_; reply($c, 200, "data: {\"choices\":[{\"delta\":{\"content\":\"$a\"}}]}\n\ndata: [DONE]\n\n", 'Content-Type' => 'text/event-stream') },
	usage => sub { my ($c, $a) = @_; my ($in, $out, $text) = split / /, $a, 3; choice($c, $text, usage => { prompt_tokens => $json->allow_nonref->decode($in), completion_tokens => $json->allow_nonref->decode($out) }) },
	big => sub { my ($c, $a) = @_; choice($c, 'x' x $a) },
	slow => sub { my ($c, $a) = @_; my ($ms, $text) = split / /, $a, 2; my $at = time + $ms / 1000; later(sub { time >= $at }, $c, $text) },
	hold => sub { my ($c, $a) = @_; later(sub { -e "$log.go" }, $c, $a) },
	last => sub { my ($c, $a, $r) = @_; choice($c, $r->{messages}[-1]{content}) },
);

sub answer {
	my ($c, $body) = @_;
	my $r = eval { $json->decode($body) } or return reply($c, 400, '{"error":{"message":"that is no JSON"}}');
	my @script = map { $_->{content} =~ /(?:^|\n)SCRIPT\n(.*)/s ? $1 : () } @{$r->{messages}};
	my @answers = split /\n--\n/, $script[0] // 'hello';
	my $turn = grep { $_->{role} eq 'assistant' } @{$r->{messages}};
	my $text = $answers[$turn > $#answers ? -1 : $turn];
	$text =~ s/\n\z//;
	if ($text =~ /^!busy (\d+)/) {
		return reply($c, 429, '{"error":{"message":"come back"}}', 'Retry-After' => 0) if $busy{$script[0]}++ < $1;
		$text = $answers[$turn + 1];
	}
	$text =~ /^!(\w+) ?(.*)/s && $do{$1} ? $do{$1}->($c, $2, $r) : choice($c, $text);
}

sub received {
	my ($c) = @_;
	while ($c->{in} =~ /^(.*?\r\n\r\n)/s) {
		my $head = $1;
		my ($n) = $head =~ /^content-length: *(\d+)/mi;
		return if length($c->{in}) < length($head) + ($n // 0);
		my $body = substr $c->{in}, length($head), $n // 0;
		$c->{in} = substr $c->{in}, length($head) + ($n // 0);
		append("$log.head", $head, '>');
		append($log, "$body\n", '>>');
		$head =~ m{^POST \S*/chat/completions } ? answer($c, $body) : reply($c, 404, '{"error":{"message":"no such path"}}');
	}
}

sub drop { my ($c) = @_; delete $conn{fileno $c->{fd}}; close $c->{fd} }

while (1) {
	my ($read, $write) = ('', '');
	vec($read, fileno($listen), 1) = 1;
	for my $c (values %conn) {
		vec($read, fileno($c->{fd}), 1) = 1;
		vec($write, fileno($c->{fd}), 1) = 1 if length $c->{out};
	}
	my $n = select($read, $write, undef, @later ? 0.02 : 1);
	exit 0 if getppid() != $parent;
	my @due = grep { $_->[0]->() } @later;
	@later = grep { my $l = $_; !grep { $_ == $l } @due } @later if @due;
	$_->[1]->() for @due;
	next if $n <= 0;
	if (vec($read, fileno($listen), 1)) {
		while (my $fd = $listen->accept) {
			$fd->blocking(0);
			binmode $fd;
			$conn{fileno $fd} = { fd => $fd, in => '', out => '' };
		}
	}
	for my $c (values %conn) {
		my $f = fileno $c->{fd};
		if (vec($write, $f, 1) && length $c->{out}) {
			my $sent = syswrite $c->{fd}, $c->{out};
			if (!defined $sent) { drop($c) unless $!{EAGAIN}; next }
			$c->{out} = substr $c->{out}, $sent;
		}
		next unless vec($read, $f, 1);
		my $got = sysread $c->{fd}, $c->{in}, 65536, length $c->{in};
		if (!$got) { drop($c) unless !defined $got && $!{EAGAIN}; next }
		received($c);
	}
}
