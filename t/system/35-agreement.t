#!/bin/sh
# A thousand changes of rows at random: list, search, ask, registry, contracts, OpenAPI, tool definitions, llms.txt, suggestions and explain show, after each, what each credential may see of the rows as they are, and no door another set than the next.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

rc_start --workers 4 --set 'anonymous=cat:open,row:W_01' || bail "the service did not start"

cat >"$TMP/walk.pl" <<'END'
use strict;
use warnings;
use HTTP::Tiny;

my ($base, $key, $token, $edits, $seed) = @ARGV;
my $http = HTTP::Tiny->new(keep_alive => 1, timeout => 60);
my %head = (owner => { 'x-terminal-key' => $key }, token => { authorization => "Bearer $token" }, nobody => {});
my @all = sort keys %head;
my (%row, $faults, $checks, $version);
srand $seed;
($faults, $checks, $version) = (0, 0, 0);

sub fault { print "$_[0]\n" if $faults++ < 10 }
sub call
{
	my ($who, $method, $path, $body) = @_;
	my %h = %{$head{$who}};
	$h{'content-type'} = 'application/json' if defined $body;
	return $http->request($method, "$base$path", { headers => \%h, defined $body ? (content => $body) : () });
}
sub get { return call($_[0], 'GET', $_[1]) }

# What the rules say.
sub reads { my ($who, $k) = @_; my $r = $row{$k} or return 0; return $who eq 'owner' || ($r->{enabled} && ($who eq 'token' || $r->{category} eq 'open' || $k eq 'W_01')) }
sub shown { my ($who, $k) = @_; return reads($who, $k) && $row{$k}{enabled} }
sub calls
{
	my ($who, $k) = @_;
	return shown($who, $k) && ($who eq 'owner' || !$row{$k}{sensitive}) && ($who ne 'token' || $k =~ /^W_1/ || $row{$k}{category} eq 'shut');
}
sub planned { my ($who, $k) = @_; return shown($who, $k) && $row{$k}{planner_visible} }

sub same
{
	my ($what, $who, $got, $want) = @_;
	my ($g, $w) = (join(' ', sort @$got), join(' ', sort grep { $want->($who, $_) } keys %row));
	$checks++;
	fault("$what for $who after change $version: has ($g), should have ($w)") if $g ne $w;
}
sub digests
{
	my ($what, $who, %got) = @_;
	for my $k (sort keys %got) { fault("$what for $who after change $version: $k has another contract") if $got{$k} ne $row{$k}{digest} }
}

# Every door, as [name, path, sub of the answer's text].
my @doors = (
	[ 'list', '/api/directory?limit=1000', sub { my ($who, $t) = @_; same('the list', $who, [ $t =~ /"key": ?"(W_\d+)"/g ], \&reads) } ],
	[ 'registry', '/api/dispatch?registry=1', sub {
		my ($who, $t) = @_;
		my %d = $t =~ /\{"key":"(W_\d+)",.*?"digest":"(\w+)"/g;
		same('the registry', $who, [ keys %d ], \&shown);
		digests('the registry', $who, %d);
	} ],
	[ 'explain', '/api/dispatch?explain=1', sub { my ($who, $t) = @_; same('explain', $who, [ $t =~ /"(W_\d+)"/g ], \&calls) } ],
	[ 'openapi', '/api/openapi.json', sub {
		my ($who, $t) = @_;
		my %d = $t =~ m{"/api/run/(W_\d+)":.*?"x-contract": ?"(\w+)"}g;
		same('OpenAPI', $who, [ keys %d ], \&shown);
		digests('OpenAPI', $who, %d);
	} ],
	[ 'tools', '/api/dispatch?tools=anthropic', sub { my ($who, $t) = @_; same('tools', $who, [ $t =~ /"name": ?"(W_\d+)"/g ], sub { calls(@_) && planned(@_) && $row{$_[1]}{typed} }) } ],
	[ 'tools', '/api/dispatch?tools=openai', sub { my ($who, $t) = @_; same('tools', $who, [ $t =~ /"name": ?"(W_\d+)"/g ], sub { calls(@_) && planned(@_) && $row{$_[1]}{typed} }) } ],
	[ 'llms', '/llms.txt', sub { my ($who, $t) = @_; my %k = map { $_ => 1 } $t =~ /\b(W_\d+)\b/g; same('llms.txt', $who, [ keys %k ], \&shown) } ],
);
# What this service has of them.
my $index = get('owner', '/api/dispatch')->{content};
my %has = map { $_ => 1 } qw(list registry explain);
$has{openapi} = 1 if $index =~ m{"/api/openapi\.json"};
$has{tools} = 1 if $index =~ /"query":"tools"/;
$has{llms} = 1 if $index =~ m{"/llms\.txt"};
$has{ask} = 1 if $index =~ /"query":"ask"/;
@doors = grep { $has{$_->[0]} } @doors;

sub look
{
	my ($door, $who) = @_;
	my $r = get($who, $door->[1]);
	$r->{status} == 200 ? $door->[2]->($who, $r->{content}) : fault("$door->[1] for $who: $r->{status}");
}

# One row through the doors that show a single one.
sub look_at
{
	my ($k, $who) = @_;
	my $want = reads($who, $k) ? 200 : 404;
	my $r = get($who, "/api/directory/$k");
	$checks++;
	fault("$k for $who after change $version: $r->{status}") if $r->{status} != $want;
	$r = get($who, "/api/dispatch?key=$k&format=markdown");
	fault("the contract of $k for $who after change $version: $r->{status}") if $r->{status} != $want;
	fault("the contract of $k for $who after change $version is old") if $want == 200 && index($r->{headers}{etag}, $row{$k}{digest}) < 0;
	my $word = $row{$k} ? $row{$k}{word} : 'absent';
	$r = get($who, "/api/directory/search?q=$word");
	my %found = map { $_ => 1 } $r->{content} =~ /"key": ?"(W_\d+)"/g;
	fault("a search for $word by $who finds " . join(' ', keys %found)) if grep { $_ ne $k } keys %found;
	fault("a search for $word by $who finds what is not to be seen") if $found{$k} && !reads($who, $k);
	fault("a search for $word by $who finds nothing") if !$found{$k} && shown($who, $k);
	if ($version % 5 == 0) {
		$r = get($who, '/api/dispatch?key=W_');
		fault("somebody is pointed to $_") for grep { !reads($who, $_) } $r->{content} =~ /"key":"(W_\d+)"/g;
	}
	return unless $has{ask};
	$r = get($who, "/api/dispatch?ask=$word");
	%found = map { $_ => 1 } $r->{content} =~ /"key": ?"(W_\d+)"/g;
	fault("asked for $word, $who is told of " . join(' ', keys %found)) if grep { $_ ne $k } keys %found;
	fault("asked for $word, $who " . ($found{$k} ? 'is told' : 'is not told')) if !!$found{$k} ne !!planned($who, $k);
}

sub letters { my $n = $_[0]; my $s = ''; do { $s = chr(97 + $n % 26) . $s; $n = int($n / 26) } while $n; return $s }
# A word that stands in no other row, and is no near miss of another.
sub word { return 'zq' . letters($version * 7919 + 17576 * 26) . 'xj' }

sub content { return "# WHAT: Says $_[0] to the caller.\\n[\\\"\$1\\\"]" }

sub put
{
	my ($k) = @_;
	my %r = (enabled => int(rand 4) ? 1 : 0, planner_visible => int(rand 4) ? 1 : 0, sensitive => int(rand 5) ? 0 : 1, category => int(rand 2) ? 'open' : 'shut', word => word());
	$r{typed} = $r{sensitive} || int(rand 2);
	my $schema = $r{typed} ? ',"input_schema":{"type":"object","properties":{"text":{"type":"string"}}}' : '';
	my $text = content($r{word});
	my $a = call('owner', 'PUT', "/api/directory/$k", qq({"type":"fn","target":"echo","content":"$text","examples":["x"],"enabled":$r{enabled},"planner_visible":$r{planner_visible},"sensitive":$r{sensitive},"category":"$r{category}"$schema}));
	return fault("PUT $k: $a->{status} $a->{content}") unless $a->{success};
	$row{$k} = \%r;
}

sub patch
{
	my ($k) = @_;
	my $name = (qw(enabled planner_visible category content))[int rand 4];
	my $new = $name eq 'category' ? ($row{$k}{category} eq 'open' ? 'shut' : 'open') : $name eq 'content' ? word() : 1 - $row{$k}{$name};
	my $json = $name eq 'category' ? qq("$new") : $name eq 'content' ? '"' . content($new) . '"' : $new;
	my $a = call('owner', 'PATCH', "/api/directory/$k", qq({"$name":$json}));
	return fault("PATCH $k: $a->{status} $a->{content}") unless $a->{success};
	$row{$k}{$name eq 'content' ? 'word' : $name} = $new;
}

for (1 .. $edits) {
	my $k = sprintf 'W_%02d', 1 + int rand 30;
	$version++;
	if (!$row{$k} || rand() < 0.15) {
		put($k);
	} elsif (rand() < 0.15) {
		call('owner', 'DELETE', "/api/directory/$k")->{success} or fault("DELETE $k");
		delete $row{$k};
	} else {
		patch($k);
	}
	if ($row{$k}) {
		my ($d) = get('owner', "/api/directory/$k")->{content} =~ /"contract": ?"(\w{64})"/;
		$row{$k}{digest} = $d;
	}
	my $who = $all[rand @all];
	look_at($k, $who);
	look($doors[rand @doors], $who);
	next if $version % 100;
	for my $w (@all) { look($_, $w) for @doors }
}
print "$faults faults\n" if $faults;
print STDERR "$version changes, $checks checks, doors: ", join(' ', sort keys %has), "\n";
END

owner POST /api/tokens '{"scope":"read,cat:shut,pfx:W_1"}' >/dev/null
is "$(status)" 201 "a token that reads all and calls some"
TOKEN=$(jq_get .token)
began=$(date +%s)
is "$(perl "$TMP/walk.pl" "$HTTP" "$KEY" "$TOKEN" 1000 "${SEED:-1}" 2>"$TMP/walk.err")" '' "every door shows the same rows after each of 1000 changes"
diag "$(cat "$TMP/walk.err"), $(($(date +%s) - began)) s"
like "$(cat "$TMP/walk.err")" '^1000 changes, [0-9]{4,} checks' "… in thousands of looks"
is "$(owner GET /api/events/verify | jq -r .ok)" true "… and the log of changes is whole"

done_testing
