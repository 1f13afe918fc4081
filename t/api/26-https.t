#!/bin/sh
# https upstreams: the certificate is checked, chain, name and dates, against the system's authorities or those of a setting.
. "${ROWCALL_SOURCE:-.}/t/lib.sh"

pki=$TMP/pki
mkdir "$pki"
# authority NAME; certificate NAME AUTHORITY SUBJECT-ALT-NAME [OPTION…]: files NAME.pem and NAME.key
authority() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -keyout "$pki/$1.key" -out "$pki/$1.pem" 2>/dev/null; }
certificate()
{
	c_name=$1 c_authority=$2 c_alt=$3
	shift 3
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$c_name" -keyout "$pki/$c_name.key" -out "$pki/$c_name.csr" 2>/dev/null
	printf 'subjectAltName=%s\n' "$c_alt" >"$pki/ext"
	openssl x509 -req -in "$pki/$c_name.csr" -CA "$pki/$c_authority.pem" -CAkey "$pki/$c_authority.key" -CAcreateserial -extfile "$pki/ext" -out "$pki/$c_name.pem" "$@" 2>/dev/null
}
# tls NAME: a server with that certificate; its port in tls_NAME.
tls()
{
	openssl s_server -accept 127.0.0.1:0 -cert "$pki/$1.pem" -key "$pki/$1.key" -www >"$pki/$1.out" 2>&1 &
	extra_pids="${extra_pids:-} $!"
	until grep -q '^ACCEPT ' "$pki/$1.out"; do sleep 0.05; done
	eval "tls_$1=$(sed -n 's/^ACCEPT .*://p' "$pki/$1.out" | head -1)"
}
authority known
authority strange
certificate good known DNS:localhost,IP:127.0.0.1 -days 2
certificate self strange DNS:localhost -days 2
openssl x509 -in "$pki/self.csr" -req -signkey "$pki/self.key" -extfile "$pki/ext" -days 2 -out "$pki/self.pem" 2>/dev/null
certificate foreign strange DNS:localhost,IP:127.0.0.1 -days 2
certificate named known DNS:elsewhere.example -days 2
certificate expired known DNS:localhost,IP:127.0.0.1 -days -1
for name in good self foreign named expired; do tls "$name"; done

# Over HTTP, so that nothing else here needs a certificate.
row() { owner PUT "/api/directory/$1" "$(jq -nc --arg t "$2" '{type:"http",target:$t,content:"# WHAT: a row of the test",examples:["x"]}')" >/dev/null; }
call() { owner POST /api/dispatch "{\"key\":\"$1\"}" >/dev/null; jq_get .result; }
rows()
{
	for name in good self foreign named expired; do
		eval "port=\$tls_$name"
		row "T_$name" "GET https://localhost:$port/"
	done
	row T_address "GET https://127.0.0.1:$tls_good/"
}
allow=$(for name in good self foreign named expired; do eval "printf ' --allow-upstream 127.0.0.1:%s --allow-upstream [::1]:%s' \$tls_$name \$tls_$name"; done)

rc_start $allow || bail "the service did not start"
rows
for name in good self foreign named expired; do
	like "$(call "T_$name")" '^ERR:http:fetch:.*certificate' "with the system's authorities nothing of this test is trusted: $name"
done
rc_stop

rc_start $allow --set "upstream_ca_file=$pki/known.pem" || bail "the service did not start"
like "$(call T_good)" '^HTTP 200:' "an authority of upstream_ca_file is trusted"
like "$(call T_address)" '^HTTP 200:' "an address that the certificate names too"
like "$(call T_self)" '^ERR:http:fetch:.*certificate' "a certificate that signed itself is refused"
like "$(call T_foreign)" '^ERR:http:fetch:.*certificate' "so is one of another authority"
like "$(call T_named)" '^ERR:http:fetch:.*(certificate|subject)' "one for another name"
like "$(call T_expired)" '^ERR:http:fetch:.*certificate' "and one whose time is over"
rc_stop

# Only the setting decides: what the environment of the service says about certificates does not.
SSL_CERT_FILE=$pki/known.pem CURL_CA_BUNDLE=$pki/known.pem
export SSL_CERT_FILE CURL_CA_BUNDLE
rc_start $allow || bail "the service did not start"
like "$(call T_good)" '^ERR:http:fetch:.*certificate' "SSL_CERT_FILE and CURL_CA_BUNDLE add no authority"
unset SSL_CERT_FILE CURL_CA_BUNDLE
rc_stop
if rc_start --set "upstream_ca_file=$pki/none.pem" >"$TMP/diag"; then fail "a file that is not there is refused"; else pass "a file that is not there is refused"; fi
like "$(cat "$TMP/diag")" 'upstream_ca_file: .*none\.pem: No such file' "and named"
done_testing
