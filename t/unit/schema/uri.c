/* References as RFC 3986 section 5.4 resolves them. */
#include "schema/uri.h"
#include "tap.h"

static const char base[] = "http://a/b/c/d;p?q";

/* Sections 5.4.1 and 5.4.2, strict; fragments are left to the caller. */
static const struct {
	const char *base, *ref, *want;
} cases[] = {
	{ base, "g:h", "g:h" },
	{ base, "g", "http://a/b/c/g" },
	{ base, "./g", "http://a/b/c/g" },
	{ base, "g/", "http://a/b/c/g/" },
	{ base, "/g", "http://a/g" },
	{ base, "//g", "http://g" },
	{ base, "?y", "http://a/b/c/d;p?y" },
	{ base, "g?y", "http://a/b/c/g?y" },
	{ base, "#s", "http://a/b/c/d;p?q" },
	{ base, "g#s", "http://a/b/c/g" },
	{ base, "g?y#s", "http://a/b/c/g?y" },
	{ base, ";x", "http://a/b/c/;x" },
	{ base, "g;x", "http://a/b/c/g;x" },
	{ base, "g;x?y#s", "http://a/b/c/g;x?y" },
	{ base, "", "http://a/b/c/d;p?q" },
	{ base, ".", "http://a/b/c/" },
	{ base, "./", "http://a/b/c/" },
	{ base, "..", "http://a/b/" },
	{ base, "../", "http://a/b/" },
	{ base, "../g", "http://a/b/g" },
	{ base, "../..", "http://a/" },
	{ base, "../../", "http://a/" },
	{ base, "../../g", "http://a/g" },
	{ base, "../../../g", "http://a/g" },
	{ base, "../../../../g", "http://a/g" },
	{ base, "/./g", "http://a/g" },
	{ base, "/../g", "http://a/g" },
	{ base, "g.", "http://a/b/c/g." },
	{ base, ".g", "http://a/b/c/.g" },
	{ base, "g..", "http://a/b/c/g.." },
	{ base, "..g", "http://a/b/c/..g" },
	{ base, "./../g", "http://a/b/g" },
	{ base, "./g/.", "http://a/b/c/g/" },
	{ base, "g/./h", "http://a/b/c/g/h" },
	{ base, "g/../h", "http://a/b/c/h" },
	{ base, "g;x=1/./y", "http://a/b/c/g;x=1/y" },
	{ base, "g;x=1/../y", "http://a/b/c/y" },
	{ base, "g?y/./x", "http://a/b/c/g?y/./x" },
	{ base, "g#s/../x", "http://a/b/c/g" },
	{ base, "http:g", "http:g" },
	{ "http://a", "g", "http://a/g" },
	{ "", "g/h.json", "g/h.json" },
	{ "", "", "" },
	{ "", "#x", "" },
	{ "x.json", "y.json", "y.json" },
	{ "urn:uuid:1-2", "#x", "urn:uuid:1-2" },
	{ "urn:example:a", "urn:example:b", "urn:example:b" },
	{ "", "..", "" },
	{ "", "../g", "g" },
};

int main(void)
{
	struct str fragment;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf b = BUF_MALLOC;

		uri_resolve(&b, str_of(cases[i].base), str_of(cases[i].ref));
		tap_ok(str_is(buf_str(&b), cases[i].want), "\"%s\" seen from \"%s\" is \"%s\": %s", cases[i].ref,
			cases[i].base, cases[i].want, buf_text(&b));
		buf_free(&b);
	}
	tap_ok(str_is(uri_without_fragment(str_of("a#b#c"), &fragment), "a") && str_is(fragment, "b#c"),
		"the first # begins the fragment");
	tap_ok(str_is(uri_without_fragment(str_of("a"), &fragment), "a") && !fragment.p, "no # is no fragment");
	tap_ok(str_is(uri_without_fragment(str_of("#"), &fragment), "") && fragment.p && !fragment.n,
		"a # at the end is an empty fragment");
	return tap_done();
}
