#!/usr/bin/perl
# Processes: titles, supervision, sockets of dead and live instances, the lock, checking the settings, refusals, the clean stop.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Select;
use IO::Socket::UNIX;
use Socket qw(SOCK_DGRAM SOCK_STREAM);
use Test::More;
use Time::HiRes qw(sleep time);
use Daemon;

my $d = Daemon->new;
ok($d->start, 'starts') or BAIL_OUT($d->log);
my $path = '/api/healthz';
my $serves = sub { $d->ask('GET', $path)->{status} == 200 };

sub title { my ($pid) = @_; (my $t = Daemon::get("/proc/$pid/cmdline")) =~ s/\0.*//s; return $t }

subtest 'titles and sockets' => sub {
	is(title($d->{pid}), 'rowcalld: master', 'the master has its title');
	is_deeply([ sort keys %{ $d->children } ], [ 'rowcalld: worker 1', 'rowcalld: worker 2', 'rowcalld: writer' ], 'so have its children');
	is(sprintf('%04o', (stat "$d->{dir}/run/fcgi.sock")[2] & 07777), '0660', 'the web server\'s socket is for owner and group');
	is(sprintf('%04o', (stat "$d->{dir}/run/writer.sock")[2] & 07777), '0600', 'the writer\'s socket is for the owner');
	is(Daemon::get("$d->{dir}/run/rowcalld.pid"), "$d->{pid}\n", 'the lock holds the process id');
	for my $pid ($d->{pid}, values %{ $d->children }) {
		my ($core) = Daemon::get("/proc/$pid/limits") =~ /Max core file size\s+(\S+)/;
		is($core, '0', title($pid) . ' leaves no core dump') if !$ENV{ROWCALL_SANITIZE} && length Daemon::get("/proc/$pid/limits");
	}
	ok($serves->(), 'requests are answered');
};

subtest 'supervision' => sub {
	for my $title ('rowcalld: worker 1', 'rowcalld: worker 2', 'rowcalld: writer') {
		my $pid = $d->children->{$title};
		kill 'KILL', $pid;
		my $new;
		ok($d->wait_for(sub { $new = $d->children->{$title}; $new && $new != $pid }, 30), "$title is replaced when killed");
		like($d->log, qr/process $pid\) ended unexpectedly: killed by signal 9/, 'its end is logged with the status');
		ok($d->wait_for($serves, 5), 'requests are answered');
	}
	my $t = time;
	for (1 .. 3) {
		my $pid = $d->wait_for(sub { $d->children->{'rowcalld: worker 1'} }, 30);
		$d->wait_for(sub { title($pid) eq 'rowcalld: worker 1' });
		kill 'KILL', $pid;
		$d->wait_for(sub { ($d->children->{'rowcalld: worker 1'} // 0) != $pid }, 30);
	}
	ok($d->wait_for(sub { $d->children->{'rowcalld: worker 1'} }, 30), 'a worker that dies young again and again is replaced');
	like($d->log, qr/started in 100 ms.*started in 200 ms.*/s, 'after longer and longer pauses');
	ok($d->wait_for(sub { keys %{ $d->children } == 3 }, 30), 'all are there again');
	ok($d->wait_for($serves, 5), 'requests are answered');
};

subtest 'a second instance' => sub {
	my ($code, $text) = $d->run;
	is($code, 1, 'is refused');
	like($text, qr/rowcalld\.pid: already running \(process $d->{pid}\)$/m, 'with the process that runs');
	is(() = $text =~ /\n/g, 1, 'in one line');
	ok($serves->(), 'and does not disturb the first');
};

subtest 'a killed master' => sub {
	my @children = values %{ $d->children };
	kill 'KILL', $d->{pid};
	$d->wait_for(sub { $d->ended });
	ok(-S $d->socket, 'leaves its sockets');
	ok($d->start, 'the next one starts over them') or diag $d->log;
	ok($serves->(), 'and serves');
	ok($d->wait_for(sub { !grep { kill 0, $_ } @children }, 30), 'the children of the first have ended');
	is($d->ask('GET', $path)->{status}, 200, 'which harms nobody') for 1 .. 5;
};

subtest 'stop' => sub {
	for my $signal ('TERM', 'QUIT', 'INT') {
		my @children = values %{ $d->children };
		is(scalar @children, 3, "SIG$signal");
		my $t = time;
		$d->stop($signal);
		is($d->{status}, 0, 'ends with exit code 0') or diag $d->log;
		cmp_ok(time - $t, '<', 3, 'at once when nothing is under way');
		ok(!(grep { kill 0, $_ } @children), 'no child is left');
		is_deeply([ glob "$d->{dir}/run/*" ], [], 'no socket and no lock either');
		$d->start or BAIL_OUT($d->log);
	}
	like($d->log, qr/worker \d \(process \d+\) ended: exit code 0.*writer \(process \d+\) ended: exit code 0.*stopped/s, 'workers end before the writer');
	$d->stop;
};

subtest 'stop with a request under way' => sub {
	my $bytes = Daemon::request('GET', $path);
	$d->start or BAIL_OUT($d->log);
	my $s = $d->connection;
	Daemon::put_bytes($s, substr $bytes, 0, 100);
	$serves->();
	kill 'TERM', $d->{pid};
	sleep 0.3;
	ok(!$d->ended, 'waits for it');
	ok(!$d->connection, 'but takes no new connection');
	Daemon::put_bytes($s, substr $bytes, 100);
	is((Daemon::answer($s) // {})->{status}, 200, 'answers it');
	ok($d->wait_for(sub { $d->ended }, 30), 'and ends');
	is($d->{status}, 0, 'with exit code 0');
	$d->start('-o', 'drain_timeout=500ms') or BAIL_OUT($d->log);
	$s = $d->connection;
	Daemon::put_bytes($s, substr $bytes, 0, 100);
	$serves->();
	my $t = time;
	$d->stop;
	cmp_ok(time - $t, '>', 0.4, 'a request that does not end is waited for as long as the setting says');
	cmp_ok(time - $t, '<', 3, 'and no longer');
	like($d->log, qr/stopping with 1 requests under way: drain_timeout \(500 ms\) has passed/, 'which is logged');
};

subtest 'service manager' => sub {
	my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => "$d->{dir}/notify");
	my $hears = sub {
		my ($pattern) = @_;
		my $all = '';
		while ($all !~ $pattern && IO::Select->new($socket)->can_read(10)) { $socket->recv(my $text, 4096); $all .= "$text\n" }
		return $all =~ $pattern;
	};
	local $ENV{NOTIFY_SOCKET} = "$d->{dir}/notify";
	$d->start or BAIL_OUT($d->log);
	ok($hears->(qr/^READY=1$/m), 'is told when the service is ready');
	kill 'HUP', $d->{pid};
	ok($hears->(qr/^RELOADING=1\nMONOTONIC_USEC=\d+$/m), 'when it reloads');
	ok($hears->(qr/^READY=1$/m), 'when it has');
	$d->configure(wrokers => 1);
	kill 'HUP', $d->{pid};
	ok($d->wait_for(sub { $d->log =~ /reload refused/ }), 'a refused reload');
	$d->configure(wrokers => undef);
	ok($serves->(), 'changes nothing');
	$d->stop;
	ok($hears->(qr/^STOPPING=1$/m), 'it is told when the service stops');
};

subtest 'places of sockets' => sub {
	for my $name ('fcgi.sock', 'writer.sock') {
		my $file = "$d->{dir}/run/$name";
		Daemon::put($file, "text\n", 0644);
		my ($code, $text) = $d->run;
		is($code, 1, "a file in the place of $name is refused");
		like($text, qr/\Q$name\E: exists and is not a socket$/m, 'and named');
		is(Daemon::get($file), "text\n", 'and left as it is');
		unlink $file;
		symlink "$d->{dir}/elsewhere", $file;
		($code, $text) = $d->run;
		is($code, 1, "a symbolic link in the place of $name is refused");
		ok(-l $file && !-e "$d->{dir}/elsewhere", 'and not followed');
		unlink $file;
	}
	my $other = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $d->socket, Listen => 5);
	my ($code, $text) = $d->run;
	is($code, 1, 'a socket on which somebody else listens is refused');
	like($text, qr/fcgi\.sock: another process listens there$/m, 'and named');
	close $other;
	ok(-S $d->socket, 'a dead socket') or diag 'no socket';
	ok($d->start, 'is replaced') or diag $d->log;
	ok($serves->(), 'and served');
	$d->stop;
};

sub refused {
	my ($name, $code, $pattern, @options) = @_;
	my ($got, $text) = $d->run(@options);
	is($got, $code, "$name: exit code $code");
	like($text, $pattern, "$name: says so");
	is(() = $text =~ /\n/g, 1, "$name: in one line") or diag $text;
}

subtest 'settings' => sub {
	my ($code, $text) = $d->run('-n');
	is($code, 0, '-n accepts good settings');
	like($text, qr/rowcall\.conf is fine\n/, 'and says so');
	is_deeply([ glob "$d->{dir}/run/*" ], [], 'and makes no file');
	$d->configure(wrokers => 3);
	refused('an unknown setting', 78, qr/rowcall\.conf:\d+: .*wrokers/, @$_) for [], ['-n'];
	$d->configure(wrokers => undef);
	refused('an unknown setting in an option', 78, qr/wrokers/, '-n', '-o', 'wrokers=3');
	refused('too many workers', 78, qr/workers: must be 0 to 128/, '-n', '-o', 'workers=1000');
	refused('an unknown user', 78, qr/user no-such-user-here does not exist/, '-n', '-o', 'user=no-such-user-here');
	refused('an unknown group of the socket', 78, qr/socket_group no-such-group-here does not exist/, '-n', '-o', 'socket_group=no-such-group-here');
	refused('a run_dir too long for a socket', 78, qr/too long/, '-n', '-o', 'run_dir=/tmp/' . 'x' x 100);
	refused('settings that are not there', 78, qr/nonexistent/, '-n', '-c', '/nonexistent/rowcall.conf');
	refused('certificates that are not there', 78, qr/upstream_ca_file: \S*none\.pem: No such file/, @$_, '-o', 'upstream_ca_file=/nonexistent/none.pem') for [], ['-n'];
	refused('a file without certificates', 78, qr/upstream_ca_file: \S*secrets\.env: holds no certificate/, '-n', '-o', "upstream_ca_file=$d->{dir}/secrets.env");
	refused('a run_dir that cannot be made', 1, qr/run_dir|nonexistent/, '-o', 'run_dir=/nonexistent/run');
	for my $bad ([ 'an owner key that is short', "TERMINAL_KEY=short\n", 0600, qr/TERMINAL_KEY/ ], [ 'no owner key', "OTHER=0123456789abcdef\n", 0600, qr/TERMINAL_KEY/ ],
		[ 'an empty owner key', "TERMINAL_KEY=\n", 0600, qr/TERMINAL_KEY/ ], [ 'secrets that everybody may read', "TERMINAL_KEY=$Daemon::KEY\n", 0644, qr/secrets\.env/ ]) {
		$d->secrets($bad->[1], $bad->[2]);
		refused($bad->[0], 78, $bad->[3], @$_) for [], ['-n'];
	}
	unlink "$d->{dir}/secrets.env";
	refused('secrets that are not there', 78, qr/secrets\.env/, @$_) for [], ['-n'];
	$d->secrets("TERMINAL_KEY=$Daemon::KEY\n");
	unlike($d->log, qr/\Q$Daemon::KEY\E/, 'no message holds the key');
};

subtest 'usage' => sub {
	my ($code, $text) = $d->run('-h');
	is($code, 0, '-h prints the help');
	like($text, qr/-c, --config.*Exit codes/s, 'with options and exit codes');
	($code, $text) = $d->run('-V');
	is($code, 0, '-V prints the version');
	like($text, qr/^rowcall \d/, 'with the name');
	is(($d->run('-x'))[0], 64, 'an unknown option is wrong usage');
	is(($d->run('word'))[0], 64, 'so is an argument');
};

subtest 'other users' => sub {
	plan skip_all => 'only root can become somebody else' if $>;
	my ($uid, $gid) = (getpwnam 'nobody')[2, 3];
	plan skip_all => 'no user nobody' if !defined $uid;
	chmod 0755, $d->{dir};
	chown $uid, $gid, "$d->{dir}/secrets.env", "$d->{dir}/data";
	chown $uid, $gid, glob "$d->{dir}/data/*";
	$d->configure(user => 'nobody');
	ok($d->start, 'starts with a user of its own') or return diag substr $d->log, -2000;
	for my $title (sort keys %{ $d->children }) {
		my $status = Daemon::get('/proc/' . $d->children->{$title} . '/status');
		like($status, qr/^Uid:\s+$uid\s+$uid\s+$uid/m, "$title runs as that user");
		like($status, qr/^Gid:\s+$gid\s+$gid\s+$gid/m, 'and its group');
		like($status, qr/^Groups:\s*(?:$gid)?\s*$/m, 'and in no other group');
	}
	is((stat $d->socket)[4], $uid, 'the socket is the user\'s');
	ok($serves->(), 'requests are answered');
	my @children = values %{ $d->children };
	kill 'KILL', $d->{pid};
	$d->wait_for(sub { $d->ended });
	ok($d->wait_for(sub { !grep { kill 0, $_ } @children }, 30), 'its children end with a killed master');
};

unlike($d->log, qr/Sanitizer|runtime error/, 'no sanitizer has anything to say');
done_testing;
