#!/usr/bin/perl
# What the writer refuses ends the service with one line and the exit code that says whether another start helps.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Daemon;

my $d = Daemon->new(workers => 1);
my $dir = $d->{dir};

sub refused {
	my ($name, $code, $pattern, @options) = @_;
	my ($got, $text) = $d->run('-o', 'log_level=error', @options);
	is($got, $code, "$name: exit code $code");
	like($text, $pattern, "$name: says so");
	is(() = $text =~ /\n/g, 1, "$name: in one line") or diag $text;
	is_deeply([ glob "$dir/run/*" ], [], "$name: leaves no socket");
}

sub sql { my ($file, $text) = @_; return system('sqlite3', "$dir/data/$file.db", $text) == 0 }

subtest 'file systems' => sub {
	my $preload = "$dir/statfs.so";
	system(split(' ', $ENV{CC} // 'gcc'), '-shared', '-fPIC', '-o', $preload, "$FindBin::Bin/statfs.c") == 0 or plan skip_all => 'no compiler';
	local $ENV{LD_PRELOAD} = $preload;
	for my $fs ([ 0x6969, 'NFS' ], [ 0x01021997, '9p' ], [ 0x65735546, 'FUSE' ], [ 0xff534d42, 'CIFS' ]) {
		local $ENV{FAKE_FS_TYPE} = $fs->[0];
		refused($fs->[1], 78, qr/directory\.db: .*network or shared file system \($fs->[1].*allow_network_fs = yes/);
		ok(!-e "$dir/data/directory.db", "$fs->[1]: before anything is written");
	}
	for my $fs ([ 0xef53, 'ext4' ], [ 0x58465342, 'XFS' ], [ 0x01021994, 'tmpfs' ], [ 0x794c7630, 'overlayfs' ]) {
		local $ENV{FAKE_FS_TYPE} = $fs->[0];
		ok($d->start, "$fs->[1] is a local one") or diag $d->log;
		$d->stop;
	}
	local $ENV{FAKE_FS_TYPE} = 0x6969;
	ok($d->start('-o', 'allow_network_fs=yes'), 'the setting overrides it');
	$d->stop;
};

subtest 'a newer database' => sub {
	ok(sql('ledger', 'PRAGMA user_version = 9999'), 'a file of a newer program');
	refused('a newer file', 78, qr/ledger\.db: it is at version 9999, this program knows \d+/);
};

subtest 'a file exchanged under the service' => sub {
	unlink glob "$dir/data/*";
	ok($d->start, 'starts with new files') or diag $d->log;
	is($d->ask('GET', '/api/healthz')->{status}, 200, 'and serves');
	ok(sql('ledger', 'PRAGMA user_version = 9999'), 'a file becomes a newer one');
	truncate "$dir/log", 0;
	kill 'KILL', $d->children->{'rowcalld: writer'};
	ok($d->wait_for(sub { $d->ended }, 30), 'the next writer ends the service') or $d->stop;
	is($d->{status} >> 8, 78, 'with exit code 78');
	is(() = $d->log =~ /this program knows/g, 1, 'and says once why');
};

subtest 'what may pass' => sub {
	unlink glob "$dir/data/*";
	mkdir $_ for "$dir/empty", "$dir/empty/directory";
	refused('no migrations', 1, qr/holds no migrations/, '-o', "migrations_dir=$dir/empty");
	refused('no folder', 1, qr/No such file/, '-o', "data_dir=$dir/nowhere");
};

done_testing;
