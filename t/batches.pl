# Somebody who changes 25 rows at a time, all or none, until the file STOP is there: batches.pl BASE KEY PREFIX FILE STOP. The rows are PREFIX00 … PREFIX24, and their
# planner_rank is the number of the batch, so at every moment all have the same. FILE: a line for each batch that is acknowledged.
use strict;
use warnings;
use HTTP::Tiny;

my ($base, $key, $prefix, $file, $stop) = @ARGV;
my $http = HTTP::Tiny->new(keep_alive => 1, timeout => 30);
my $h = { 'content-type' => 'application/json', 'x-terminal-key' => $key };
open my $out, '>', $file or die "$file: $!";
$out->autoflush;
for (my $i = 1; !-e $stop; $i++) {
	my @change = map { my $k = sprintf '%s%02d', $prefix, $_;
		qq({"method":"PUT","key":"$k","row":{"type":"fn","target":"echo","planner_rank":$i,"content":"# WHAT: one of a batch","examples":["x"]}}) } 0 .. 24;
	my $r = $http->post("$base/api/directory/batch", { headers => $h, content => '{"changes":[' . join(',', @change) . ']}' });
	$r->{status} == 200 or die "batch $i: $r->{status} $r->{content}";
	print $out "$i\n";
}
