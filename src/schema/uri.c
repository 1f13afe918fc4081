/* Resolution of URI references, RFC 3986 section 5.2. Does not normalize case or percent-encoding: JSON Schema
 * identifiers are compared as written. */
#include <string.h>
#include "base/ascii.h"
#include "schema/uri.h"

/* Parts that are absent have p NULL. */
struct uri {
	struct str scheme, authority, path, query;
};

struct str uri_without_fragment(struct str uri, struct str *fragment)
{
	struct str rest = uri, before = str_cut(&rest, '#');

	*fragment = rest;
	if (!before.p)
		before = str_of("");
	return before;
}

/* Length of the scheme in front of the first ":", 0 when there is none (section 3.1). */
static size_t scheme_length(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == ':')
			return i;
		if (!ascii_is_letter(c) && (i == 0 || !(ascii_is_digit(c) || c == '+' || c == '-' || c == '.')))
			return 0;
	}
	return 0;
}

static size_t span_until(struct str s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && !strchr(stops, s.p[n]))
		n++;
	return n;
}

static void take_apart(struct uri *u, struct str s)
{
	size_t n = scheme_length(s);

	memset(u, 0, sizeof(*u));
	if (n) {
		u->scheme = str_make(s.p, n);
		s = str_skip(s, n + 1);
	}
	if (str_starts(s, "//")) {
		s = str_skip(s, 2);
		n = span_until(s, "/?");
		u->authority = str_make(s.p, n);
		s = str_skip(s, n);
	}
	n = span_until(s, "?");
	u->path = str_make(s.p, n);
	s = str_skip(s, n);
	if (s.n)
		u->query = str_skip(s, 1);
}

/* Cuts the last segment, and the slash before it, off what was appended behind `start`. */
static void drop_segment(struct buf *out, size_t start)
{
	while (out->len > start && out->data[out->len - 1] != '/')
		out->len--;
	if (out->len > start)
		out->len--;
}

/* Section 5.2.4, segment by segment. */
static void add_without_dots(struct buf *out, struct str path)
{
	size_t start = out->len;
	bool absolute = path.n && path.p[0] == '/';
	struct str rest = absolute ? str_skip(path, 1) : path;
	bool first = true;

	if (!path.n)
		return;
	while (rest.p) {
		struct str segment = str_cut(&rest, '/');
		bool last = !rest.p, up = str_is(segment, "..");

		if (up)
			drop_segment(out, start);
		if (up || str_is(segment, ".")) {
			if (last && (absolute || out->len > start))
				buf_putc(out, '/');
			continue;
		}
		if (absolute || !first)
			buf_putc(out, '/');
		buf_putstr(out, segment);
		first = false;
	}
}

/* Section 5.2.3. */
static void merge(struct buf *out, const struct uri *base, struct str path)
{
	size_t n = base->path.n;

	if (base->authority.p && !n) {
		buf_putc(out, '/');
	} else {
		while (n && base->path.p[n - 1] != '/')
			n--;
		buf_add(out, base->path.p, n);
	}
	buf_putstr(out, path);
}

static void put_together(struct buf *out, const struct uri *u)
{
	if (u->scheme.p) {
		buf_putstr(out, u->scheme);
		buf_putc(out, ':');
	}
	if (u->authority.p) {
		buf_puts(out, "//");
		buf_putstr(out, u->authority);
	}
	buf_putstr(out, u->path);
	if (u->query.p) {
		buf_putc(out, '?');
		buf_putstr(out, u->query);
	}
}

void uri_resolve(struct buf *out, struct str base, struct str ref)
{
	struct str fragment;
	struct buf joined = BUF_MALLOC, path = BUF_MALLOC;
	struct uri b, r;

	take_apart(&b, uri_without_fragment(base, &fragment));
	take_apart(&r, uri_without_fragment(ref, &fragment));
	if (!r.scheme.p && !r.authority.p && !r.path.n) {
		if (r.query.p)
			b.query = r.query;
		put_together(out, &b);
		goto out;
	}
	if (r.scheme.p || r.authority.p || r.path.p[0] == '/')
		buf_putstr(&joined, r.path);
	else
		merge(&joined, &b, r.path);
	add_without_dots(&path, buf_str(&joined));
	r.path = buf_str(&path);
	if (!r.scheme.p) {
		r.scheme = b.scheme;
		if (!r.authority.p)
			r.authority = b.authority;
	}
	put_together(out, &r);
out:
	buf_free(&joined);
	buf_free(&path);
}
