/* The frame and style of HTML pages. What is on them is written by their handlers, every text through html_text. */
#include "base/crypto.h"
#include "base/escape.h"
#include "web/html.h"

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--dim:#5a6572;--ground:#fff;--panel:#f4f6f8;--line:#d9dee4;"
	"--good:#146c3c;--bad:#a12622;--plain:#7a5200}"
	"@media(prefers-color-scheme:dark){:root{--ink:#e7eaee;--dim:#9aa5b1;--ground:#14171b;--panel:#1d2127;"
	"--line:#333a43;--good:#6fd19b;--bad:#ff938c;--plain:#f0c069}}"
	"body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}"
	"main{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 3rem}"
	"h1{font-size:1.4rem;line-height:1.3;margin:.2rem 0 1rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}"
	"p.kind{color:var(--dim);margin:0;font-size:.9rem}"
	".good{color:var(--good)}.bad{color:var(--bad)}.plain{color:var(--plain)}"
	"dl{margin:0;border-top:1px solid var(--line)}"
	"dt{color:var(--dim);font-size:.85rem;padding-top:.5rem}"
	"dd{margin:0;padding-bottom:.5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}"
	"@media(min-width:36rem){dl{display:grid;grid-template-columns:9rem 1fr}"
	"dt,dd{padding:.5rem 0;border-bottom:1px solid var(--line)}}"
	"code,pre{font:.9rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}"
	"pre{background:var(--panel);padding:.75rem;border-radius:.4rem;white-space:pre-wrap}"
	"a{color:inherit}";

/* "sha256-…" of the style, as the policy names it; made at the first page. */
static const char *policy(void)
{
	static char text[256];
	unsigned char digest[CRYPTO_SHA256];
	struct buf b = BUF_MALLOC;

	if (text[0])
		return text;
	crypto_sha256(str_of(style), digest);
	buf_puts(&b, "default-src 'none'; style-src 'sha256-");
	crypto_base64(&b, str_make((const char *)digest, sizeof(digest)));
	buf_puts(&b, "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
	for (size_t i = 0; i < b.len && i < sizeof(text) - 1; i++)
		text[i] = b.data[i];
	buf_free(&b);
	return text;
}

void html_text(struct buf *out, struct str s)
{
	escape_add(out, ESCAPE_HTML, s);
}

void html_fact(struct buf *out, const char *label, struct str value, bool code)
{
	if (!value.n)
		return;
	buf_puts(out, "<dt>");
	html_text(out, str_of(label));
	buf_puts(out, code ? "</dt><dd><code>" : "</dt><dd>");
	html_text(out, value);
	buf_puts(out, code ? "</code></dd>\n" : "</dd>\n");
}

void html_answer(struct response *res, int status, const char *title, struct str main)
{
	struct buf out = BUF_ARENA(res->arena);

	buf_puts(&out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"robots\" content=\"noindex\">\n<title>");
	html_text(&out, str_of(title));
	buf_puts(&out, "</title>\n<style>");
	buf_puts(&out, style);
	buf_puts(&out, "</style>\n</head>\n<body>\n<main>\n");
	buf_putstr(&out, main);
	buf_puts(&out, "</main>\n</body>\n</html>\n");
	response_header(res, "Content-Security-Policy", policy());
	response_text(res, status, "text/html; charset=utf-8", buf_str(&out));
}
