/* Names made from the words of others; see naming.h. */
#include <stdio.h>
#include <string.h>
#include "base/ascii.h"
#include "base/crypto.h"
#include "import/naming.h"
#include "lang/key.h"

void naming_words(struct buf *name, struct str text)
{
	bool gap = name->len > 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!ascii_is_alnum(c)) {
			gap = name->len > 0;
			continue;
		}
		if (gap || (ascii_is_upper(c) && i && (ascii_is_lower(text.p[i - 1]) || ascii_is_digit(text.p[i - 1]))))
			buf_putc(name, '_');
		gap = false;
		buf_putc(name, ascii_upper(c));
	}
}

enum { DIGEST_TAIL = 5 };               /* "_" and four hex digits */

const char *naming_key(struct arena *a, struct str name)
{
	char digest[CRYPTO_HEX];
	size_t n = KEY_MAX - DIGEST_TAIL;

	if (!name.n || ascii_is_digit(name.p[0]))
		name = str_of(arena_printf(a, "%s%.*s", name.n ? "_" : "ROW", (int)name.n, name.p ? name.p : ""));
	if (name.n <= KEY_MAX)
		return arena_str(a, name);
	crypto_sha256_hex(name, digest);
	while (n > KEY_MAX / 2 && name.p[n] != '_')
		n--;
	if (name.p[n] != '_')
		n = KEY_MAX - DIGEST_TAIL;
	for (char *p = digest; *p; p++)
		*p = ascii_upper(*p);
	return arena_printf(a, "%.*s_%.4s", (int)n, name.p, digest);
}

const char *naming_property(struct arena *a, struct str name)
{
	struct buf b = BUF_ARENA(a);

	for (size_t i = 0; i < name.n && b.len < KEY_MAX; i++) {
		char c = name.p[i];
		bool fits = ascii_is_word(c) || c == '.' || c == '-';

		if (fits)
			buf_putc(&b, c);
		else if (b.len && b.data[b.len - 1] != '_')
			buf_putc(&b, '_');
	}
	while (b.len > 1 && b.data[b.len - 1] == '_' && name.p[name.n - 1] != '_')
		b.len--;
	return b.len ? buf_text(&b) : "argument";
}

void naming_host(struct buf *name, struct str host)
{
	struct str label[8] = { { 0 } }, rest = str_cut(&host, ':');
	size_t n = 0, pick;

	while (rest.p && n < sizeof(label) / sizeof(label[0]))
		label[n++] = str_cut(&rest, '.');
	pick = n > 1 ? n - 2 : 0;
	/* `example.co.uk`: the short label before a country is none of the owner's. */
	if (n > 2 && label[n - 1].n == 2 && label[pick].n <= 3)
		pick--;
	if (!label[pick].n || ascii_is_digit(label[pick].p[0]) || label[0].p[0] == '[')
		buf_puts(name, "HOST");
	else
		naming_words(name, label[pick]);
}
