/* A service elsewhere, over HTTPS with libcurl. */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "ctl/api.h"

struct remote {
	const char *url, *cacert;
	CURL *curl;
};

static char *part(CURLU *u, CURLUPart what)
{
	char *text = NULL;

	return curl_url_get(u, what, &text, 0) == CURLUE_OK ? text : NULL;
}

static bool is_here(const char *host)
{
	return host && (strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0 || strcmp(host, "[::1]") == 0);
}

bool remote_is_safe(const char *url)
{
	CURLU *u = curl_url();
	bool good = curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK;
	char *scheme = part(u, CURLUPART_SCHEME), *host = part(u, CURLUPART_HOST), *user = part(u, CURLUPART_USER);

	good = good && scheme && !user && (strcmp(scheme, "https") == 0 || (strcmp(scheme, "http") == 0 && is_here(host)));
	curl_free(scheme);
	curl_free(host);
	curl_free(user);
	curl_url_cleanup(u);
	return good;
}

struct remote *remote_open(const char *url, const char *cacert)
{
	struct remote *r = mem_alloc(sizeof(*r));

	*r = (struct remote){ url, cacert, curl_easy_init() };
	return r;
}

void remote_close(struct remote *r)
{
	if (!r)
		return;
	curl_easy_cleanup(r->curl);
	free(r);
}

static size_t take_body(char *p, size_t size, size_t n, void *out)
{
	if (((struct buf *)out)->len + size * n > API_ANSWER_MAX)
		return 0;
	buf_add(out, p, size * n);
	return size * n;
}

static size_t take_head(char *p, size_t size, size_t n, void *out)
{
	struct str line = str_make(p, size * n);

	/* The status line as CGI has it; of interim answers only the last counts. */
	if (str_starts(line, "HTTP/")) {
		buf_clear(out);
		str_cut(&line, ' ');
		buf_puts(out, "Status: ");
		buf_putstr(out, line);
	} else {
		buf_putstr(out, line);
	}
	return size * n;
}

static struct curl_slist *list_headers(const struct api_transfer *t)
{
	struct curl_slist *list = curl_slist_append(NULL, "Content-Type: application/json");

	for (size_t i = 0; i < t->headers; i++) {
		struct buf line = BUF_MALLOC;

		buf_printf(&line, "%s: %s", t->header[i].name, t->header[i].value);
		list = curl_slist_append(list, buf_text(&line));
		buf_free(&line);
	}
	return list;
}

int remote_send(struct remote *r, const struct api_transfer *t, struct buf *out, struct problem *why)
{
	struct buf url = BUF_MALLOC, body = BUF_MALLOC;
	struct curl_slist *headers = list_headers(t);
	CURLcode rc;
	size_t n;

	for (n = strlen(r->url); n && t->path[0] == '/' && r->url[n - 1] == '/'; n--)
		;
	buf_printf(&url, "%.*s%s", (int)n, r->url, t->path);
	curl_easy_reset(r->curl);
	curl_easy_setopt(r->curl, CURLOPT_URL, buf_text(&url));
	curl_easy_setopt(r->curl, CURLOPT_CUSTOMREQUEST, t->method);
	if (t->body.p) {
		curl_easy_setopt(r->curl, CURLOPT_POSTFIELDS, t->body.p);
		curl_easy_setopt(r->curl, CURLOPT_POSTFIELDSIZE, (long)t->body.n);
	}
	curl_easy_setopt(r->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(r->curl, CURLOPT_HEADERFUNCTION, take_head);
	curl_easy_setopt(r->curl, CURLOPT_HEADERDATA, out);
	curl_easy_setopt(r->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(r->curl, CURLOPT_WRITEDATA, &body);
	curl_easy_setopt(r->curl, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(r->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(r->curl, CURLOPT_TIMEOUT, (long)API_TIMEOUT_S);
	if (strncmp(r->url, "http:", 5) == 0)
		curl_easy_setopt(r->curl, CURLOPT_PROXY, "");   /* it would read the credential */
	if (r->cacert)
		curl_easy_setopt(r->curl, CURLOPT_CAINFO, r->cacert);
	rc = curl_easy_perform(r->curl);
	buf_putstr(out, buf_str(&body));
	if (rc != CURLE_OK) {
		problem_set(why, 503, "no_answer");
		if (rc == CURLE_WRITE_ERROR)
			problem_detail(why, "%s: the answer is larger than %d MiB", r->url, API_ANSWER_MAX >> 20);
		else
			problem_detail(why, "%s: %s", r->url, curl_easy_strerror(rc));
		if (rc == CURLE_PEER_FAILED_VERIFICATION)
			problem_fix(why, "--cacert FILE trusts the certificates in it, such as the instance's own tls/cert.pem");
	}
	curl_slist_free_all(headers);
	buf_free(&url);
	buf_free(&body);
	return rc == CURLE_OK ? 0 : -1;
}

const char *remote_library_version(void)
{
	return curl_version_info(CURLVERSION_NOW)->version;
}
