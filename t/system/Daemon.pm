# Starts rowcalld alone, without a web server, in a folder of its own, and speaks FastCGI to it as nginx would, or as nginx never would.
package Daemon;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IO::Select;
use IO::Socket::UNIX;
use POSIX qw(:sys_wait_h);
use Socket qw(SOCK_STREAM);
use Time::HiRes qw(sleep time);

our $KEY = 'test-owner-key-0123456789abcdef';
my $top = abs_path(dirname(__FILE__) . '/../..');
our $program = abs_path(($ENV{ROWCALL_BUILD} // "$top/build") . '/rowcalld');

# new(name => value…): a folder with settings; nothing is started.
sub new {
	my ($class, %settings) = @_;
	my $dir = tempdir('rowcall-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	my $self = bless { dir => $dir, owner => $$, settings => {
		data_dir => "$dir/data", run_dir => "$dir/run", secrets_file => "$dir/secrets.env", migrations_dir => "$top/migrations",
		base_url => 'http://127.0.0.1:1', workers => 2, drain_timeout => '5s', log_level => 'info', %settings } }, $class;
	mkdir "$dir/data";
	mkdir "$dir/run";
	$self->secrets("TERMINAL_KEY=$KEY\n");
	$self->configure;
	return $self;
}

sub put {
	my ($path, $text, $mode) = @_;
	open my $f, '>', $path or die "$path: $!";
	chmod $mode, $path;
	print $f $text;
	close $f or die "$path: $!";
}

sub get {
	my ($path) = @_;
	open my $f, '<', $path or return '';
	local $/;
	return <$f> // '';
}

sub secrets { my ($self, $text, $mode) = @_; put("$self->{dir}/secrets.env", $text, $mode // 0600) }

# Writes the settings, with changes; undef removes one.
sub configure {
	my ($self, %change) = @_;
	my $s = $self->{settings};
	for (keys %change) { defined $change{$_} ? ($s->{$_} = $change{$_}) : delete $s->{$_} }
	put("$self->{dir}/rowcall.conf", join('', map { "$_ = $s->{$_}\n" } sort keys %$s), 0644);
}

# Runs the program to its end: (exit code, standard output and error).
sub run {
	my ($self, @options) = @_;
	my $pid = open my $out, '-|';
	if (!$pid) {
		open STDERR, '>&', \*STDOUT;
		exec $program, '-c', "$self->{dir}/rowcall.conf", @options or POSIX::_exit(127);
	}
	local $/;
	my $text = <$out> // '';
	close $out;
	return ($? >> 8, $text);
}

sub spawn {
	my ($self, @options) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open STDERR, '>>', "$self->{dir}/log";
		open STDOUT, '>&', \*STDERR;
		exec 'setpriv', '--pdeathsig', 'TERM', $program, '-c', "$self->{dir}/rowcall.conf", @options or POSIX::_exit(127);
	}
	return $self->{pid} = $pid;
}

# Starts it and waits until it serves.
sub start {
	my ($self, @options) = @_;
	my $before = () = $self->log =~ /serving with/g;
	$self->spawn(@options);
	$self->wait_for(sub { (() = $self->log =~ /serving with/g) > $before || $self->ended }, 60);
	return !$self->ended;
}

sub log { get("$_[0]{dir}/log") }
sub socket { "$_[0]{dir}/run/fcgi.sock" }

# Waits until the condition holds; gives its value.
sub wait_for {
	my ($self, $condition, $seconds) = @_;
	my $until = time + ($seconds // 30);
	my $value;
	sleep 0.01 until ($value = $condition->()) || time > $until;
	return $value;
}

# True when the master has ended; $self->{status} is its wait status.
sub ended {
	my ($self) = @_;
	return 1 if !$self->{pid};
	return 0 if waitpid($self->{pid}, WNOHANG) <= 0;
	$self->{status} = $?;
	delete $self->{pid};
	return 1;
}

sub stop {
	my ($self, $signal) = @_;
	return if !$self->{pid};
	kill $signal // 'TERM', $self->{pid};
	return $self->wait_for(sub { $self->ended }, 60);
}

# {title => pid} of the processes whose parent is the master.
sub children {
	my ($self) = @_;
	my %found;
	return {} if !$self->{pid};
	for my $dir (glob '/proc/[0-9]*') {
		get("$dir/stat") =~ /\) \S (\d+)/ or next;
		next if $1 != $self->{pid};
		(my $title = get("$dir/cmdline")) =~ s/\0.*//s;
		$found{$title} = ($dir =~ /(\d+)/)[0] if length $title;
	}
	return \%found;
}

sub DESTROY {
	my ($self) = @_;
	return if $self->{owner} != $$;
	local ($?, $!);
	$self->stop;
	if ($self->{pid}) {
		kill 'KILL', $self->{pid};
		waitpid $self->{pid}, 0;
	}
}

# FastCGI

sub record { my ($type, $content, %o) = @_;
	return pack('CCnnCC', $o{version} // 1, $type, $o{id} // 1, $o{length} // length $content, $o{padding} // 0, 0) . $content . "\0" x ($o{padding} // 0) }
sub length_of { my ($n) = @_; return $n < 128 ? chr $n : pack('N', $n | 0x80000000) }
sub pair { my ($name, $value) = @_; return length_of(length $name) . length_of(length $value) . $name . $value }
sub begin { my (%o) = @_; return record(1, pack('nCx5', $o{role} // 1, $o{keep} // 1), %o) }

# The parameters of a request, as a list of pairs.
sub params {
	my ($method, $uri, $body, %more) = @_;
	my ($path, $query) = split /\?/, $uri, 2;
	my %p = (REQUEST_METHOD => $method, REQUEST_URI => $uri, DOCUMENT_URI => $path, QUERY_STRING => $query // '', SERVER_PROTOCOL => 'HTTP/1.1',
		REMOTE_ADDR => '127.0.0.1', HTTP_HOST => '127.0.0.1:1', REQUEST_ID => sprintf('%032x', rand 2**31),
		CONTENT_TYPE => length $body ? 'application/json' : '', CONTENT_LENGTH => length $body ? length $body : '', %more);
	return join '', map { pair($_, $p{$_}) } grep { defined $p{$_} } sort keys %p;
}

# A stream cut into records.
sub stream { my ($type, $text, $size) = @_; return join('', map { record($type, $_) } unpack("(a" . ($size // 32768) . ")*", $text)) . record($type, '') }

sub request {
	my ($method, $uri, $body, %more) = @_;
	$body //= '';
	return begin() . stream(4, params($method, $uri, $body, %more)) . stream(5, $body);
}

sub connection {
	my ($self) = @_;
	return IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $self->socket);
}

# The next n bytes, or fewer at the end of file or after the time.
sub take {
	my ($s, $n, $seconds) = @_;
	my $text = '';
	my $until = time + ($seconds // 10);
	while (length $text < $n) {
		return $text if !IO::Select->new($s)->can_read($until > time ? $until - time : 0);
		my $got = sysread $s, $text, $n - length $text, length $text;
		return $text if !$got;
	}
	return $text;
}

# Reads one answer: {status, head, body}, or undef when the connection ended before it was whole.
sub answer {
	my ($s, $seconds) = @_;
	my $out = '';
	for (;;) {
		my $head = take($s, 8, $seconds);
		return if length $head < 8;
		my (undef, $type, undef, $length, $padding) = unpack 'CCnnC', $head;
		my $content = take($s, $length + $padding, $seconds);
		return if length $content < $length + $padding;
		$out .= substr $content, 0, $length if $type == 6;
		last if $type == 3;
	}
	my ($head, $body) = split /\r\n\r\n/, $out, 2;
	return { status => ($head // '') =~ /^Status: (\d+)/m ? $1 : 0, head => $head, body => $body };
}

# Sends bytes; false when the peer has closed.
sub put_bytes {
	my ($s, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	for (my $at = 0; $at < length $bytes;) {
		my $n = syswrite $s, $bytes, length($bytes) - $at, $at;
		return 0 if !defined $n;
		$at += $n;
	}
	return 1;
}

# One request on a connection of its own.
sub ask {
	my ($self, @request) = @_;
	my $s = $self->connection or return { status => 0 };
	put_bytes($s, request(@request));
	return answer($s) // { status => 0 };
}

# One request with the owner's key.
sub own { my ($self, $method, $uri, $body) = @_; return $self->ask($method, $uri, $body // '', HTTP_X_TERMINAL_KEY => $KEY) }

# Creates a row of the starter set; true when it is there.
sub load { my ($self, $key) = @_; return $self->own('POST', '/api/directory', get("$top/conf/rows/$key.json"))->{status} =~ /^(?:201|409)$/ }

# True when the peer closes the connection within the time (whatever it sends before).
sub closes {
	my ($s, $seconds) = @_;
	my $until = time + ($seconds // 30);
	while (time < $until) {
		next if !IO::Select->new($s)->can_read($until - time);
		return 1 if !sysread $s, my $text, 65536;
	}
	return 0;
}

1;
