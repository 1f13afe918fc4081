#!/bin/sh
# Tokens with scopes at random under several settings of `anonymous`: each door shows and runs what the rules say, worked out here once more; a row that is hidden is answered as one that is gone, to the byte.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

cat >"$TMP/walk.pl" <<'END'
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;

my ($base, $key, $anonymous, $tokens, $seed) = @ARGV;
my $http = HTTP::Tiny->new(keep_alive => 1, timeout => 60);
my $json = JSON::PP->new->utf8->allow_nonref;
my ($faults, $checks) = (0, 0);
srand $seed;

sub fault { print "$_[0]\n" if $faults++ < 10 }
sub ask
{
	my ($head, $method, $path, $body) = @_;
	return $http->request($method, "$base$path", { headers => { %$head, defined $body ? ('content-type' => 'application/json') : () }, defined $body ? (content => $json->encode($body)) : () });
}
my %owner = ('x-terminal-key' => $key);

# Rows with every mixture of what counts.
my (%row, @keys);
for my $i (0 .. 15) {
	my $k = ($i & 1 ? 'SEND_' : 'V_') . chr(65 + $i);
	my %r = (category => $i & 2 ? 'open' : 'shut', sensitive => $i & 4 ? 1 : 0, enabled => $i & 8 && $i & 1 ? 0 : 1);
	my $a = ask(\%owner, 'PUT', "/api/directory/$k", { type => 'fn', target => 'echo', content => '# WHAT: says it', examples => ['x'],
		input_schema => { type => 'object', properties => { text => { type => 'string' } } }, %r });
	$a->{success} or fault("PUT $k: $a->{content}");
	$row{$k} = \%r;
	push @keys, $k;
}

# The rules: (reads, calls) of a scope.
sub covers
{
	my ($scope, $k) = @_;
	my ($reads, $calls) = (0, 0);
	my $in_rows = 0;
	for my $m (split /,/, $scope) {
		my ($form, $what) = $m =~ /^(rows|row|pfx|cat):(.*)$/ ? ($1, $2) : $in_rows ? ('row', $m) : ($m, '');
		$in_rows = $form eq 'rows' || ($in_rows && $m !~ /:/);
		my $hit = $form eq 'act' || ($form =~ /^rows?$/ && $k eq $what) || ($form eq 'pfx' && index($k, $what) == 0) || ($form eq 'cat' && ($row{$k}{category} // '') eq $what);
		$calls ||= $hit;
		$reads ||= $hit || $form eq 'read';
	}
	return ($reads, $calls);
}
sub reads { my ($t, $k) = @_; return $row{$k}{enabled} && ((covers($anonymous, $k))[0] || ($t && (covers($t->{scope}, $k))[0])) }
sub calls
{
	my ($t, $k) = @_;
	return 0 if !$row{$k}{enabled} || ($row{$k}{sensitive} && !($t && $t->{risk} eq 'high'));
	return (covers($t ? $t->{scope} : $anonymous, $k))[1] && !($t && $t->{gate});
}
sub pick { return $_[rand @_] }
sub member
{
	return pick(sub { 'read' }, sub { 'act' }, sub { 'row:' . pick(@keys) }, sub { 'pfx:' . pick('SEND_', 'V_', 'V', 'X') }, sub { 'cat:' . pick('open', 'shut', 'none') },
		sub { 'rows:' . join ',', map { pick(@keys) } 1 .. 1 + rand 3 })->();
}

sub same
{
	my ($what, $name, $rule, $t, @got) = @_;
	my ($g, $w) = (join(' ', sort grep { $row{$_} } @got), join(' ', sort grep { $rule->($t, $_) } @keys));
	$checks++;
	fault("$what for $name, anonymous=$anonymous: has ($g), should have ($w)") if $g ne $w;
}
sub keys_in { my ($text) = @_; my %k = map { $_ => 1 } $text =~ /\b((?:V|SEND)_[A-P])\b/g; return keys %k }

# What is said of a row that is not to be seen; only what differs between any two answers is taken out.
sub said
{
	my ($head, $k, $digest) = @_;
	my @answers = (ask($head, 'GET', "/api/directory/$k"), ask($head, 'GET', "/api/dispatch?key=$k"), ask($head, 'GET', "/api/dispatch?key=$k&format=markdown"), ask($head, 'GET', "/api/contract/$digest"),
		ask($head, 'POST', '/api/dispatch', { key => $k, body => 'x' }), ask($head, 'POST', '/api/dispatch', { key => $k, shape => JSON::PP::true }), ask($head, 'POST', '/api/dispatch', { key => $k, contract => $digest }),
		ask($head, 'POST', "/api/run/$k", { text => 'x' }), ask($head, 'GET', "/api/dispatch?invoke=$k&body=x"), ask($head, 'POST', '/api/dispatch', { text => "[$k]x[/$k]" }));
	return map {
		my $a = $_;
		my $h = join "\n", map { "$_: $a->{headers}{$_}" } grep { !/^(date|x-trace)$/ } sort keys %{$a->{headers}};
		"$a->{status}\n$h\n" . ($a->{content} =~ s/"trace":"t_\w+"//r);
	} @answers;
}

sub look
{
	my ($name, $head, $t) = @_;
	same('the list', $name, \&reads, $t, keys_in(ask($head, 'GET', '/api/directory?limit=1000')->{content}));
	same('the registry', $name, \&reads, $t, keys_in(ask($head, 'GET', '/api/dispatch?registry=1')->{content}));
	same('OpenAPI', $name, \&reads, $t, keys_in(ask($head, 'GET', '/api/openapi.json')->{content}));
	same('llms.txt', $name, \&reads, $t, keys_in(ask($head, 'GET', '/llms.txt')->{content}));
	same('tools', $name, \&calls, $t, keys_in(ask($head, 'GET', '/api/dispatch?tools=openai')->{content}));
	same('explain', $name, \&calls, $t, @{$json->decode(ask($head, 'GET', '/api/dispatch?explain=1')->{content})->{callable}{keys}});
	my (@read, @ran, @shown);
	for my $k (@keys) {
		push @read, $k if ask($head, 'GET', "/api/directory/$k")->{status} == 200;
		my $a = ask($head, 'POST', '/api/dispatch', { key => $k, body => 'x', shape => JSON::PP::true });
		push @ran, $k if $a->{status} == 200;
		fault("$k for $name: $a->{status}") if $a->{status} != 200 && $a->{status} != (!reads($t, $k) ? 404 : $t ? 403 : 401);
		fault("$k for $name: points to what is hidden") if grep { $_ ne $k && !reads($t, $_) } grep { $row{$_} } keys_in($a->{content});
	}
	same('one row', $name, \&reads, $t, @read);
	same('a call', $name, \&calls, $t, @ran);
}

look('nobody', {}, undef);
for my $n (1 .. $tokens) {
	my %t = (scope => join(',', map { member() } 1 .. 1 + rand 3), risk => pick('low', 'high'), gate => int(rand 6) == 0);
	my $a = ask(\%owner, 'POST', '/api/tokens', { scope => $t{scope}, risk_ceiling => $t{risk}, owner_gate => $t{gate} ? JSON::PP::true : JSON::PP::false });
	$a->{status} == 201 or fault("a token $t{scope}: $a->{content}"), next;
	$t{head} = { authorization => 'Bearer ' . $json->decode($a->{content})->{token} };
	look("$t{scope} ($t{risk}" . ($t{gate} ? ', closed)' : ')'), $t{head}, \%t);
	next if $n % 5;
	# A row that this one does not see, and then is gone.
	my ($k) = grep { !reads(\%t, $_) } @keys or next;
	my $digest = $json->decode(ask(\%owner, 'GET', "/api/directory/$k")->{content})->{contract};
	my @hidden = said($t{head}, $k, $digest);
	my $image = $json->decode(ask(\%owner, 'GET', "/api/directory/$k")->{content});
	ask(\%owner, 'DELETE', "/api/directory/$k");
	my @gone = said($t{head}, $k, $digest);
	ask(\%owner, 'PUT', "/api/directory/$k", { map { $_ => $image->{$_} } qw(type target content examples input_schema category sensitive enabled) })->{success} or fault("$k is not restored");
	for my $i (0 .. $#hidden) {
		$checks++;
		fault("answer $i about $k to $t{scope}: hidden\n$hidden[$i]\ngone\n$gone[$i]") if $hidden[$i] ne $gone[$i];
	}
	$compared::n++;
}
print "$faults faults\n" if $faults;
print STDERR "$checks checks, ", $compared::n // 0, " rows hidden and gone\n";
END

hidden=0
for anonymous in none read cat:open,row:V_A pfx:SEND_; do
	rc_start --no-rows --set "anonymous=$anonymous" || bail "the service did not start"
	is "$(perl "$TMP/walk.pl" "$HTTP" "$KEY" "$anonymous" 15 "${SEED:-1}" 2>"$TMP/walk.err")" '' "anonymous = $anonymous: 15 tokens see and run what they should at every door"
	like "$(cat "$TMP/walk.err")" '^[0-9]{3} checks' "… $(cat "$TMP/walk.err")"
	hidden=$((hidden + $(sed 's/.*, \([0-9]*\) rows.*/\1/' "$TMP/walk.err")))
	rc_stop
done
ok "rows that are hidden were compared with rows that are gone ($hidden)" [ $hidden -ge 3 ]
done_testing
