# Somebody who stores a row, calls it, stores the next one, …: pairs.pl BASE KEY PREFIX COUNT FILE. Each is acknowledged before the next is sent, so at
# every moment there are as many rows PREFIX… as receipts of them, or one more. FILE: a line for each pair that is acknowledged.
use strict;
use warnings;
use HTTP::Tiny;

my ($base, $key, $prefix, $count, $file) = @ARGV;
my $http = HTTP::Tiny->new(keep_alive => 1, timeout => 30);
my $h = { 'content-type' => 'application/json', 'x-terminal-key' => $key };
open my $out, '>', $file or die "$file: $!";
$out->autoflush;
for my $i (1 .. $count) {
	my $name = sprintf '%s%05d', $prefix, $i;
	my $row = qq({"key":"$name","type":"fn","target":"echo","content":"# WHAT: one of many","examples":["x"]});
	my $r = $http->post("$base/api/directory", { headers => $h, content => $row });
	$r->{status} == 201 or die "$name: $r->{status} $r->{content}";
	$r = $http->post("$base/api/dispatch", { headers => $h, content => qq({"key":"$name","body":"$i"}) });
	$r->{status} == 200 or die "$name: $r->{status} $r->{content}";
	print $out "$i\n";
}
