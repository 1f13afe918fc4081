#!/usr/bin/perl
# Shows a page in a real Chromium without a window, with scripts switched off, at a given width, and prints what it measured as JSON:
# {"width":W,"viewport":W,"height":H,"title":T,"text":"what is to be read","errors":[…]}. A screenshot goes to FILE.
#
#   browser.pl URL WIDTH FILE
use strict;
use warnings;
use Fcntl qw(F_DUPFD);
use File::Temp qw(tempdir);
use IO::Select;
use JSON::PP;
use MIME::Base64;
use POSIX qw(dup2);

my ($url, $width, $file) = @ARGV;
my $profile = tempdir('rowcall-browser-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $json = JSON::PP->new->utf8->canonical;

# DevTools over descriptors 3 and 4: messages with a NUL behind each.
pipe(my $their_in, my $to) or die "pipe: $!";
pipe(my $from, my $their_out) or die "pipe: $!";
my $pid = fork // die "fork: $!";
if (!$pid) {
	open STDOUT, '>', "$profile/out";
	open STDERR, '>', "$profile/err";
	# First out of the way, since one of them may be 3 or 4 itself.
	my @high = map { fcntl($_, F_DUPFD, 20) } $their_in, $their_out;
	dup2($high[$_], 3 + $_) for 0, 1;
	$ENV{HOME} = $profile;
	exec 'chromium', '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
		'--disable-sync', '--disable-dev-shm-usage', '--no-default-browser-check', '--remote-debugging-pipe', "--user-data-dir=$profile/profile", 'about:blank'
		or POSIX::_exit(127);
}
close $their_in;
close $their_out;

my ($number, $buffer, @errors) = (0, '');
my $until = time + 60;

# The next message; undef at the end or when time is over.
sub message {
	my $end;
	while (($end = index $buffer, "\0") < 0) {
		return if !IO::Select->new($from)->can_read($until - time) || !sysread $from, $buffer, 65536, length $buffer;
	}
	my $text = substr $buffer, 0, $end + 1, '';
	chop $text;
	return $json->decode($text);
}

# Waits for the message that the condition accepts.
sub await {
	my ($condition) = @_;
	while (my $m = message()) {
		push @errors, $m->{params}{errorText} if ($m->{method} // '') eq 'Network.loadingFailed';
		# A page that is an error itself is shown like another.
		push @errors, $m->{params}{entry}{text} if ($m->{method} // '') eq 'Log.entryAdded' && ($m->{params}{entry}{url} // '') ne $url;
		return $m if $condition->($m);
	}
	stop("the browser does not answer: " . do { local (@ARGV, $/) = "$profile/err"; <> // '' });
}

sub command {
	my ($method, $params, $session) = @_;
	my $id = ++$number;
	syswrite $to, $json->encode({ id => $id, method => $method, params => $params // {}, $session ? (sessionId => $session) : () }) . "\0";
	my $m = await(sub { ($_[0]{id} // 0) == $id });
	stop("$method: $m->{error}{message}") if $m->{error};
	return $m->{result};
}

sub stop {
	kill 'TERM', $pid;
	waitpid $pid, 0;
	die "$_[0]\n" if @_;
}

my $target = command('Target.createTarget', { url => 'about:blank' })->{targetId};
my $session = command('Target.attachToTarget', { targetId => $target, flatten => JSON::PP::true })->{sessionId};
command($_, {}, $session) for 'Page.enable', 'Network.enable', 'Log.enable';
command('Emulation.setScriptExecutionDisabled', { value => JSON::PP::true }, $session);
command('Emulation.setDeviceMetricsOverride', { width => $width + 0, height => 844, deviceScaleFactor => 2, mobile => JSON::PP::true }, $session);
command('Page.navigate', { url => $url }, $session);
await(sub { ($_[0]{method} // '') eq 'Page.loadEventFired' });
my $m = command('Page.getLayoutMetrics', {}, $session);
my $dom = command('DOM.getOuterHTML', { nodeId => command('DOM.getDocument', {}, $session)->{root}{nodeId} }, $session)->{outerHTML};
my $shot = command('Page.captureScreenshot', { captureBeyondViewport => JSON::PP::true }, $session)->{data};
open my $f, '>', $file or stop("$file: $!");
print $f decode_base64($shot);
close $f;
command('Browser.close');
waitpid $pid, 0;
my ($title) = $dom =~ m{<title>(.*?)</title>}s;
(my $text = $dom) =~ s{<(style|script|title)\b.*?</\1>|<[^>]*>}{ }gs;
print $json->encode({ width => $m->{cssContentSize}{width}, height => $m->{cssContentSize}{height}, viewport => $m->{cssLayoutViewport}{clientWidth}, title => $title, text => $text,
	errors => \@errors }), "\n";
