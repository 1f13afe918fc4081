#!/usr/bin/perl
# SIGHUP: new workers with new settings take over the connections of the old ones, and no request is lost. POST, since a web server sends a lost GET again
# and so hides the loss.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep time);
use Daemon;

my $d = Daemon->new;
ok($d->start, 'starts') or BAIL_OUT($d->log);
my $path = '/api/healthz';
my $body = '{"no_such_field":"' . 'x' x 300 . '"}';
my $reloads = 10;

# Reloads and waits until the new workers serve and the old ones are gone.
sub reload {
	my %old = map { $_ => 1 } grep { Daemon::get("/proc/$_/cmdline") =~ /worker/ } values %{ $d->children };
	my $before = () = $d->log =~ /serving with|reload refused|reload given up/g;
	kill 'HUP', $d->{pid};
	return $d->wait_for(sub { (() = $d->log =~ /serving with|reload refused|reload given up/g) > $before }, 30);
}
sub gone { my (@pids) = @_; return $d->wait_for(sub { !grep { kill 0, $_ } @pids }, 30) }
sub workers { my $c = $d->children; return map { $c->{$_} } grep { /worker/ } sort keys %$c }

# Runs $one->() over and over in $n processes while $meanwhile->() runs; gives the sums of what they return: (good, bad).
sub under_load {
	my ($n, $client, $meanwhile) = @_;
	my (@pids, @pipes);
	for my $i (1 .. $n) {
		pipe(my $from, my $to) or die "pipe: $!";
		pipe(my $stop_from, my $stop_to) or die "pipe: $!";
		my $pid = fork // die "fork: $!";
		if (!$pid) {
			close $stop_to;
			close $_->[1] for @pipes;
			my $one = $client->();
			my ($good, $bad, $why) = (0, 0, '');
			until (IO::Select->new($stop_from)->can_read(0)) {
				my $fault = $one->();
				$fault ? ($bad++, $why = $fault) : $good++;
			}
			print $to "$good $bad $why\n";
			close $to;
			POSIX::_exit(0);
		}
		close $to;
		close $stop_from;
		push @pids, $pid;
		push @pipes, [ $from, $stop_to ];
	}
	$meanwhile->();
	my ($good, $bad, $why) = (0, 0, '');
	for (@pipes) {
		close $_->[1];
		my ($g, $b, $w) = split ' ', readline($_->[0]) // '0 1 no report', 3;
		$good += $g;
		$bad += $b;
		$why = $w if $w;
	}
	waitpid $_, 0 for @pids;
	chomp $why;
	return ($good, $bad, $why);
}

sub fastcgi_client {
	my $s;
	return sub {
		$s //= $d->connection or return 'no connection';
		Daemon::put_bytes($s, Daemon::request('POST', '/api/dispatch', $body)) or do { undef $s; return 'closed before the request' };
		my $a = Daemon::answer($s) or do { undef $s; return 'closed before the answer' };
		return $a->{status} >= 200 && $a->{status} < 500 ? '' : "status $a->{status}";
	};
}

subtest 'kept connections under load' => sub {
	my @idle = map { $d->connection } 1 .. 40;
	for (@idle) { Daemon::put_bytes($_, Daemon::request('GET', $path)); Daemon::answer($_) }
	my @first = workers();
	my ($good, $bad, $why) = under_load(6, \&fastcgi_client, sub { for (1 .. $reloads) { reload(); sleep 0.1 } });
	is($bad, 0, "$reloads reloads lose no request") or diag $why;
	cmp_ok($good, '>', 500, 'of many') and note "$good requests";
	ok(gone(@first), 'the first workers have ended');
	my $answered = 0;
	for (@idle) {
		Daemon::put_bytes($_, Daemon::request('POST', '/api/dispatch', $body));
		$answered++ if Daemon::answer($_);
	}
	is($answered, 40, 'connections that were idle all the time are still served');
	is(scalar workers(), 2, 'there are as many workers as before');
};

subtest 'durable calls under load' => sub {
	ok($d->load('NOW'), 'a row to call');
	my $client = sub {
		my $s;
		return sub {
			$s //= $d->connection or return 'no connection';
			Daemon::put_bytes($s, Daemon::request('POST', '/api/dispatch', '{"key":"NOW"}', HTTP_X_TERMINAL_KEY => $Daemon::KEY));
			my $a = Daemon::answer($s) or do { undef $s; return 'closed before the answer' };
			return $a->{status} == 200 ? '' : "status $a->{status} $a->{body}";
		};
	};
	my ($good, $bad, $why) = under_load(6, $client, sub { for (1 .. $reloads) { reload(); sleep 0.1 } });
	is($bad, 0, "$reloads reloads lose no call") or diag $why;
	cmp_ok($good, '>', 200, 'of many') and note "$good calls";
};

subtest 'requests under way' => sub {
	my $bytes = Daemon::request('POST', '/api/dispatch', $body);
	my @half = map { $d->connection } 1 .. 10;
	Daemon::put_bytes($_, substr $bytes, 0, -100) for @half;
	is($d->ask('GET', $path)->{status}, 200, 'requests are half sent');
	my @old = workers();
	reload();
	sleep 0.2;
	ok((grep { kill 0, $_ } @old), 'a worker with requests under way waits for them');
	my $answered = 0;
	for (@half) {
		Daemon::put_bytes($_, substr $bytes, -100);
		$answered++ if Daemon::answer($_);
	}
	is($answered, 10, 'they are answered');
	ok(gone(@old), 'then it ends');
	$answered = 0;
	for (@half) {
		Daemon::put_bytes($_, $bytes);
		$answered++ if Daemon::answer($_);
	}
	is($answered, 10, 'and their connections are handed over as well');
};

subtest 'settings' => sub {
	is($d->ask('POST', '/api/dispatch', 'x' x 3000)->{status}, 400, 'a body of 3,000 bytes is within the limit');
	$d->configure(max_request_body => '2K', workers => 3);
	my @old = workers();
	reload();
	is($d->ask('POST', '/api/dispatch', 'x' x 3000)->{status}, 413, 'a reload changes the limit');
	is(scalar(grep { Daemon::get("/proc/$_/cmdline") =~ /worker/ } workers()), 3, 'and the number of workers');
	ok(gone(@old), 'the old workers end');
	my @kept = map { $d->connection } 1 .. 20;
	for (@kept) { Daemon::put_bytes($_, Daemon::request('GET', $path)); Daemon::answer($_) }
	@old = workers();
	$d->configure(workers => 1);
	reload();
	ok(gone(@old), 'fewer workers');
	is(scalar workers(), 1, 'take the place of many') or diag explain $d->children, $d->log;
	my $answered = 0;
	for (@kept) { Daemon::put_bytes($_, Daemon::request('POST', $path)); $answered++ if Daemon::answer($_) }
	is($answered, 20, 'with all their connections');
	@old = workers();
	$d->configure(wrokers => 2);
	reload();
	like($d->log, qr/reload refused, the settings stay as they were: \S+rowcall\.conf:\d+: .*wrokers/, 'bad settings are refused with the reason');
	is_deeply([ workers() ], \@old, 'and change nothing');
	$d->configure(wrokers => undef, run_dir => "$d->{dir}/other");
	reload();
	like($d->log, qr/reload refused.*run_dir can only change with a restart/, 'what the master has open needs a restart');
	is_deeply([ workers() ], \@old, 'and changes nothing');
	$d->configure(run_dir => "$d->{dir}/run");
	$d->secrets("TERMINAL_KEY=short\n");
	reload();
	like($d->log, qr/reload refused.*TERMINAL_KEY/, 'bad secrets are refused');
	is($d->ask('GET', $path)->{status}, 200, 'and do no harm');
	$d->secrets("TERMINAL_KEY=$Daemon::KEY\n");
	$d->configure(max_request_body => undef, workers => 2);
	reload();
	is(scalar(grep { Daemon::get("/proc/$_/cmdline") =~ /worker/ } workers()), 2, 'good settings are taken again');
};

subtest 'many signals at once' => sub {
	my ($good, $bad, $why) = under_load(4, \&fastcgi_client, sub {
		for (1 .. 50) { kill 'HUP', $d->{pid}; sleep 0.01 }
		sleep 0.5;
	});
	is($bad, 0, 'lose no request') or diag $why;
	ok($d->wait_for(sub { workers() == 2 }, 30), 'and leave the right number of workers');
};

subtest 'killed while it takes over' => sub {
	for (1 .. 5) {
		my %old = map { $_ => 1 } workers();
		kill 'HUP', $d->{pid};
		my $new = $d->wait_for(sub { (grep { !$old{$_} } workers())[0] }, 30);
		kill 'KILL', $new if $new;
		ok($d->wait_for(sub { $d->ask('GET', $path)->{status} == 200 && workers() == 2 }, 30), 'a killed successor does not stop the service');
	}
	sleep 0.3;
	reload();
	ok($d->wait_for(sub { workers() == 2 }, 30), 'the next reload works');
};

sub http_client {
	my ($port) = @_;
	my $s;
	return sub {
		$s //= IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or return 'no connection';
		print $s "POST /api/dispatch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
		$s->flush;
		my $status = <$s> // do { undef $s; return 'closed' };
		my $length = 0;
		while (defined(my $line = <$s>)) {
			$length = $1 if $line =~ /^content-length: (\d+)/i;
			last if $line =~ /^\r?\n/;
		}
		read($s, my $text, $length);
		return $status =~ m{^HTTP/1.1 [234]} ? '' : $status;
	};
}

subtest 'behind nginx' => sub {
	my ($nginx) = grep { -x } map { "$_/nginx" } split(/:/, $ENV{PATH}), '/usr/sbin';
	plan skip_all => 'nginx is not installed' if !$nginx;
	my $probe = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', ReuseAddr => 1);
	my $port = $probe->sockport;
	my $n = "$d->{dir}/nginx";
	mkdir $n;
	Daemon::put("$n/nginx.conf", <<"EOT", 0644);
worker_processes 1; daemon off; pid $n/pid; error_log $n/error.log;@{[ $> ? '' : "\nuser " . (getpwuid $>)[0] . ';' ]}
events { worker_connections 1024; }
http {
	access_log off;
	client_body_temp_path $n/body; fastcgi_temp_path $n/fastcgi; proxy_temp_path $n/proxy; scgi_temp_path $n/scgi; uwsgi_temp_path $n/uwsgi;
	upstream rowcall { server unix:@{[ $d->socket ]}; keepalive 32; keepalive_requests 1000000; }
	server {
		listen 127.0.0.1:$port;
		keepalive_requests 1000000;
		location / {
			fastcgi_pass rowcall; fastcgi_keep_conn on; fastcgi_next_upstream off;
			fastcgi_param REQUEST_METHOD \$request_method; fastcgi_param REQUEST_URI \$request_uri; fastcgi_param DOCUMENT_URI \$document_uri;
			fastcgi_param QUERY_STRING \$query_string; fastcgi_param CONTENT_TYPE \$content_type; fastcgi_param CONTENT_LENGTH \$content_length;
			fastcgi_param REMOTE_ADDR \$remote_addr; fastcgi_param REQUEST_ID \$request_id;
		}
	}
}
EOT
	close $probe;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open STDERR, '>', "$n/output";
		exec $nginx, '-c', "$n/nginx.conf", '-e', "$n/error.log" or POSIX::_exit(127);
	}
	ok($d->wait_for(sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) }, 30), 'nginx listens') or diag Daemon::get("$n/output");
	my ($good, $bad, $why) = under_load(6, sub { http_client($port) }, sub { for (1 .. $reloads) { reload(); sleep 0.1 } });
	is($bad, 0, "$reloads reloads lose no request") or diag $why, Daemon::get("$n/error.log");
	cmp_ok($good, '>', 500, 'of many') and note "$good requests";
	kill 'QUIT', $pid;
	waitpid $pid, 0;
};

ok($d->stop, 'stops');
is($d->{status}, 0, 'cleanly') or diag $d->log;
unlike($d->log, qr/Sanitizer|runtime error/, 'no sanitizer has anything to say');
done_testing;
