/* Upstream calls. A call is a chain of hops (a redirect is the next hop); a hop is one easy handle, which is set up
 * on the fiber, runs on the loop's stack and wakes the fiber at its end. What a credential is and what an answer
 * means is not known here. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "call/outbound.h"
#include "lang/target.h"
#include "loop/fiber.h"
#include "loop/loop.h"

enum {
	OUTBOUND_IDLE_CONNECTIONS = 1024,       /* kept open for the next call */
	OUTBOUND_POOLED = 64,                   /* easy handles kept for the next call */
	OUTBOUND_BODY_STEP = 2 * 1024,          /* first piece of memory of a body */
	OUTBOUND_BUFFER = 4 * 1024,             /* of a connection, for what arrives: curl's usual 16 KB wait with the call */
};

/* A socket that curl wants to hear of. */
struct watch { struct loop_fd fd; };

struct hop {
	struct arena *arena;
	struct fiber *fiber;
	CURL *easy;
	struct curl_slist *headers;
	bool done, queued, stop;        /* it has ended; it is in the list; it is to be broken off */
	CURLcode result;
	int os_error;
	char blocked[NET_TEXT];         /* address that the policy refused */
	size_t max_body, head;
	struct buf body;
	bool cut, enough;
	const struct outbound_request *q;
	struct hop *next;               /* waiting to be started, or stopped */
};

/* A call on its way over its hops. */
struct chain {
	struct outbound_request *q;
	struct outbound_response *out;
	struct str method, url;
	CURLU *at;                      /* url, parsed */
	bool plain;                     /* the method became GET: no body, no Content-* headers */
	int64_t deadline_us;
};

static struct {
	const struct conf *conf;
	CURLM *multi;
	CURLSH *share;
	struct loop_timer timer;
	struct loop_task start;
	struct hop *first, **last;      /* to be added to the multi handle, or taken from it */
	CURL *pool[OUTBOUND_POOLED];
	unsigned pooled, active;
} outbound;

/* The loop's side */

static void finish(CURL *easy, CURLcode result)
{
	struct hop *h;
	long os_error = 0;

	curl_easy_getinfo(easy, CURLINFO_PRIVATE, &h);
	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &os_error);
	curl_multi_remove_handle(outbound.multi, easy);
	h->result = result;
	h->os_error = (int)os_error;
	h->done = true;
	fiber_wake(h->fiber, FIBER_WOKEN);
}

static void act(curl_socket_t s, int mask)
{
	CURLMsg *m;
	int n;

	curl_multi_socket_action(outbound.multi, s, mask, &n);
	while ((m = curl_multi_info_read(outbound.multi, &n)))
		if (m->msg == CURLMSG_DONE)
			finish(m->easy_handle, m->data.result);
}

static void on_socket(struct loop_fd *f, uint32_t events)
{
	int mask = 0;

	if (events & EPOLLIN)
		mask |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		mask |= CURL_CSELECT_OUT;
	if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP))
		mask |= CURL_CSELECT_IN | CURL_CSELECT_ERR;
	act(f->fd, mask);               /* may free f */
}

static void on_timer(struct loop_timer *t)
{
	(void)t;
	act(CURL_SOCKET_TIMEOUT, 0);
}

static int want_socket(CURL *easy, curl_socket_t s, int what, void *ctx, void *socketp)
{
	struct watch *w = socketp;
	uint32_t events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);

	(void)easy;
	(void)ctx;
	if (what == CURL_POLL_REMOVE) {
		if (w)
			loop_del(&w->fd);
		free(w);
		return 0;
	}
	if (w) {
		loop_mod(&w->fd, events);
		return 0;
	}
	w = mem_alloc(sizeof(*w));
	w->fd = (struct loop_fd){ .fd = s, .ready = on_socket };
	loop_add(&w->fd, events);
	curl_multi_assign(outbound.multi, s, w);
	return 0;
}

static int want_timer(CURLM *multi, long ms, void *ctx)
{
	(void)multi;
	(void)ctx;
	if (ms < 0)
		loop_timer_cancel(&outbound.timer);
	else
		loop_timer_set(&outbound.timer, ms);
	return 0;
}

/* One that is to be stopped may have ended before, and may not have begun. */
static void start_hops(struct loop_task *t)
{
	(void)t;
	while (outbound.first) {
		struct hop *h = outbound.first;

		outbound.first = h->next;
		if (!h->next)
			outbound.last = &outbound.first;
		h->queued = false;
		if (h->done)
			fiber_wake(h->fiber, FIBER_WOKEN);
		else if (h->stop)
			finish(h->easy, CURLE_ABORTED_BY_CALLBACK);
		else if (curl_multi_add_handle(outbound.multi, h->easy) != CURLM_OK)
			log_fatal("outbound: curl does not take a handle");
	}
}

/* Callbacks of a hop */

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct hop *h = ctx;
	char text[NET_TEXT];

	(void)purpose;
	if (net_blocked(outbound.conf->upstreams, &address->addr, text)) {
		memcpy(h->blocked, text, sizeof(h->blocked));
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* Memory grows with what has really come, up to the cap: a length that the other side announces reserves nothing. */
static size_t take_body(char *p, size_t size, size_t n, void *ctx)
{
	struct hop *h = ctx;
	size_t room = h->max_body - h->body.len;

	n *= size;
	if (!h->body.cap)
		buf_reserve(&h->body, n > OUTBOUND_BODY_STEP ? n : OUTBOUND_BODY_STEP);
	buf_add(&h->body, p, n < room ? n : room);
	h->cut = n > room;
	h->enough = h->q->enough && h->q->enough(h->q->ctx, buf_str(&h->body));
	return h->cut || h->enough ? CURL_WRITEFUNC_ERROR : n;
}

static size_t count_head(char *p, size_t size, size_t n, void *ctx)
{
	struct hop *h = ctx;

	(void)p;
	h->head += size * n;
	return h->head > OUTBOUND_ANSWER_HEAD_MAX ? 0 : size * n;
}

/* Easy handles */

static bool set_buffer(CURL *easy)
{
	return curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)OUTBOUND_BUFFER) == CURLE_OK;
}

static CURL *easy_get(void)
{
	CURL *easy;

	if (outbound.pooled)
		return outbound.pool[--outbound.pooled];
	easy = curl_easy_init();
	if (!easy || !set_buffer(easy))
		log_fatal("outbound: curl gives no handle");
	return easy;
}

/* One whose transfer was cut off still has its buffer, and then takes no size for it: it is not used again. */
static void easy_put(CURL *easy)
{
	curl_easy_reset(easy);
	if (outbound.pooled < OUTBOUND_POOLED && set_buffer(easy))
		outbound.pool[outbound.pooled++] = easy;
	else
		curl_easy_cleanup(easy);
}

#define SET(option, value) do { \
	if (curl_easy_setopt(easy, option, value) != CURLE_OK) \
		log_fatal("outbound: curl lacks " #option); \
} while (0)

static void set_rules(CURL *easy)
{
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_QUICK_EXIT, 1L);    /* a name server that does not answer is left to its thread, not waited for */
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	SET(CURLOPT_ACCEPT_ENCODING, "");
	SET(CURLOPT_USERAGENT, "rowcall");
	SET(CURLOPT_SHARE, outbound.share);
	SET(CURLOPT_CAPATH, NULL);      /* with a path curl does not keep the parsed bundle */
	if (outbound.conf->upstream_ca_file[0])
		SET(CURLOPT_CAINFO, outbound.conf->upstream_ca_file);
}

static void set_callbacks(CURL *easy, struct hop *h)
{
	SET(CURLOPT_PRIVATE, (void *)h);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, (void *)h);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, (void *)h);
	SET(CURLOPT_HEADERFUNCTION, count_head);
	SET(CURLOPT_HEADERDATA, (void *)h);
}

static void set_times(CURL *easy, int64_t left_ms)
{
	int64_t connect_ms = outbound.conf->connect_timeout_ms;

	SET(CURLOPT_TIMEOUT_MS, (long)left_ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)(connect_ms < left_ms ? connect_ms : left_ms));
}

static void set_method(CURL *easy, struct str method, struct str body)
{
	if (str_is(method, "HEAD")) {
		SET(CURLOPT_NOBODY, 1L);
		return;
	}
	if (str_is(method, "GET")) {
		SET(CURLOPT_HTTPGET, 1L);
		return;
	}
	if (body.p || str_is(method, "POST") || str_is(method, "PUT") || str_is(method, "PATCH")) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
		SET(CURLOPT_POSTFIELDS, body.p ? body.p : "");
	}
	SET(CURLOPT_CUSTOMREQUEST, method.p);
}

static void slist_add(struct curl_slist **list, const char *line)
{
	struct curl_slist *more = curl_slist_append(*list, line);

	if (!more)
		log_fatal("outbound: out of memory");
	*list = more;
}

static void set_headers(CURL *easy, struct hop *h, const struct chain *c)
{
	bool type = false;

	for (unsigned i = 0; i < c->q->headers; i++) {
		const struct outbound_header *o = &c->q->header[i];
		struct buf line = BUF_ARENA(h->arena);

		if (c->plain && str_starts_fold(o->name, "content-"))
			continue;
		type = type || str_is_fold(o->name, "content-type");
		buf_putstr(&line, o->name);
		buf_puts(&line, o->value.n ? ": " : ";");       /* curl's way to send a header without a value */
		buf_putstr(&line, o->value);
		slist_add(&h->headers, buf_text(&line));
	}
	if (!type)
		slist_add(&h->headers, "Content-Type:");        /* curl's own guess for a body is left out */
	slist_add(&h->headers, "Expect:");                      /* no waiting for 100 Continue */
	SET(CURLOPT_HTTPHEADER, h->headers);
}

/* URLs */

static int add_pair(struct outbound_header *list, unsigned *n, unsigned max, struct arena *a,
	const struct outbound_header *pair)
{
	struct buf value = BUF_ARENA(a);

	if (*n == max)
		return -1;
	escape_add(&value, ESCAPE_HEADER, pair->value);
	list[(*n)++] = (struct outbound_header){ arena_copy(a, pair->name), buf_str(&value), pair->credential };
	return 0;
}

int outbound_header(struct outbound_request *q, struct str name, struct str value, bool credential)
{
	struct outbound_header pair = { name, value, credential };

	return add_pair(q->header, &q->headers, OUTBOUND_HEADERS_MAX, q->arena, &pair);
}

int outbound_query(struct outbound_request *q, struct str name, struct str value, bool credential)
{
	struct outbound_header pair = { name, value, credential };

	return add_pair(q->query, &q->queries, OUTBOUND_QUERIES_MAX, q->arena, &pair);
}

struct str outbound_url(const struct outbound_request *q, bool credentials)
{
	struct buf url = BUF_ARENA(q->arena);
	bool query = q->url.n && memchr(q->url.p, '?', q->url.n);

	buf_putstr(&url, q->url);
	for (unsigned i = 0; i < q->queries; i++) {
		if (q->query[i].credential && !credentials)
			continue;
		if (!query)
			buf_putc(&url, '?');
		else if (url.data[url.len - 1] != '?' && url.data[url.len - 1] != '&')
			buf_putc(&url, '&');
		query = true;
		escape_add(&url, ESCAPE_QUERY, q->query[i].name);
		buf_putc(&url, '=');
		escape_add(&url, ESCAPE_QUERY, q->query[i].value);
	}
	return buf_str(&url);
}

/* A part of a parsed URL in the arena; "" when it has none. */
static struct str part(struct arena *a, CURLU *u, CURLUPart what)
{
	char *text = NULL;
	struct str s;

	if (curl_url_get(u, what, &text, what == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0) != CURLUE_OK || !text)
		return str_of("");
	s = arena_copy(a, str_of(text));
	curl_free(text);
	return s;
}

static bool has_user(CURLU *u)
{
	char *user = NULL, *password = NULL;
	bool has;

	curl_url_get(u, CURLUPART_USER, &user, 0);
	curl_url_get(u, CURLUPART_PASSWORD, &password, 0);
	has = user || password;
	curl_free(user);
	curl_free(password);
	return has;
}

static bool same_part(struct arena *a, CURLU *x, CURLU *y, CURLUPart what)
{
	struct str s = part(a, x, what), t = part(a, y, what);

	return s.n && str_eq_fold(s, t);
}

static bool same_origin(struct arena *a, CURLU *x, CURLU *y)
{
	return same_part(a, x, y, CURLUPART_SCHEME) && same_part(a, x, y, CURLUPART_HOST) &&
		same_part(a, x, y, CURLUPART_PORT) && !has_user(x) && !has_user(y);
}

static void url_free(void *u)
{
	curl_url_cleanup(u);
}

/* Freed with the arena; NULL when curl cannot read the text. */
static CURLU *url_parse(struct arena *a, const char *text)
{
	CURLU *u = curl_url();

	if (!u)
		log_fatal("outbound: out of memory");
	arena_defer(a, url_free, u);
	return curl_url_set(u, CURLUPART_URL, text, CURLU_PATH_AS_IS) == CURLUE_OK ? u : NULL;
}

/* The URL that was built from the row and the arguments has to have the origin that the row alone says. */
static bool url_as_meant(struct chain *c)
{
	struct arena *a = c->q->arena;
	struct buf origin = BUF_ARENA(a);
	CURLU *meant;

	c->at = c->url.n <= OUTBOUND_URL_MAX ? url_parse(a, c->url.p) : NULL;
	if (!c->q->authority.p)
		return true;
	if (!c->at || !target_authority_is_valid(c->q->authority))
		return false;
	buf_putstr(&origin, c->q->scheme);
	buf_puts(&origin, "://");
	buf_putstr(&origin, c->q->authority);
	buf_putc(&origin, '/');
	meant = url_parse(a, buf_text(&origin));
	return meant && same_origin(a, meant, c->at);
}

/* Errors */

static void fail(struct chain *c, const char *reason)
{
	struct buf host = BUF_ARENA(c->q->arena);

	if (c->at)
		escape_add(&host, ESCAPE_TERMINAL, part(c->q->arena, c->at, CURLUPART_HOST));
	if (host.len)
		snprintf(c->out->error, sizeof(c->out->error), "ERR:http:fetch:%.253s: %s", buf_text(&host), reason);
	else
		snprintf(c->out->error, sizeof(c->out->error), "ERR:http:fetch:%s", reason);
}

/* curl's own message may quote what the other side sent, so it is not used. */
static void explain(struct chain *c, const struct hop *h, int64_t began_us)
{
	char reason[160];

	if (h->blocked[0]) {
		snprintf(c->out->error, sizeof(c->out->error), "ERR:http:blocked_address:%s", h->blocked);
		return;
	}
	if (h->result == CURLE_OPERATION_TIMEDOUT)
		snprintf(reason, sizeof(reason), "timed out after %" PRId64 " ms", (clock_mono_us() - began_us) / 1000);
	else if (h->result == CURLE_COULDNT_CONNECT && h->os_error)
		snprintf(reason, sizeof(reason), "could not connect: %s", strerror(h->os_error));
	else if (h->result == CURLE_WRITE_ERROR)
		snprintf(reason, sizeof(reason), "the header lines of the answer are over %d bytes",
			OUTBOUND_ANSWER_HEAD_MAX);
	else if (h->result == CURLE_ABORTED_BY_CALLBACK)
		snprintf(reason, sizeof(reason), "cancelled");
	else if (h->result == CURLE_OUT_OF_MEMORY)      /* so curl calls a line over its own limit */
		snprintf(reason, sizeof(reason), "a header line of the answer is too long");
	else
		snprintf(reason, sizeof(reason), "%s", curl_easy_strerror(h->result));
	fail(c, reason);
}

/* One hop */

static struct str answer_header(struct arena *a, CURL *easy, const char *name)
{
	struct curl_header *h;

	if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &h) != CURLHE_OK)
		return str_of("");
	return arena_copy(a, str_trim(str_of(h->value)));       /* curl leaves the CR of an empty one */
}

static void queue_hop(struct hop *h)
{
	if (h->queued)
		return;
	h->queued = true;
	h->next = NULL;
	*outbound.last = h;
	outbound.last = &h->next;
	loop_post(&outbound.start);
}

static void run_hop(struct hop *h, struct cancel *cancel)
{
	struct cancel_point point;

	h->fiber = fiber_self();
	outbound.active++;
	cancel_enter(cancel, &point);
	queue_hop(h);
	while (!h->done || h->queued) {
		fiber_suspend();
		if (!h->done && !h->stop && cancel_asked(cancel)) {
			h->stop = true;
			queue_hop(h);
		}
	}
	cancel_leave(&point);
	outbound.active--;
}

/* True with the answer in c->out and its Location, if any. */
static bool fetch_hop(struct chain *c, struct str *location)
{
	int64_t began_us = clock_mono_us(), left_ms = (c->deadline_us - began_us) / 1000;
	struct hop h = {
		.arena = c->q->arena, .body = BUF_ARENA(c->q->arena), .q = c->q,
		.max_body = c->q->max_body ? c->q->max_body : (size_t)outbound.conf->max_upstream_body,
	};
	CURL *easy;
	long status = 0;
	bool answered;

	if (left_ms <= 0 || cancel_asked(c->q->cancel)) {
		fail(c, left_ms <= 0 ? "timed out before it was sent" : "cancelled");
		return false;
	}
	easy = h.easy = easy_get();
	set_rules(easy);
	set_callbacks(easy, &h);
	set_times(easy, left_ms);
	set_method(easy, c->method, c->plain ? str_make(NULL, 0) : c->q->body);
	set_headers(easy, &h, c);
	SET(CURLOPT_URL, c->url.p);
	run_hop(&h, c->q->cancel);
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	answered = h.result == CURLE_OK || (h.result == CURLE_WRITE_ERROR && (h.cut || h.enough));
	if (answered) {
		c->out->status = (int)status;
		c->out->body = buf_str(&h.body);
		c->out->cut = h.cut;
		c->out->content_type = answer_header(h.arena, easy, "Content-Type");
		c->out->retry_after = answer_header(h.arena, easy, "Retry-After");
		c->out->wanted = c->q->want ? answer_header(h.arena, easy, c->q->want) : str_of("");
		*location = answer_header(h.arena, easy, "Location");
	} else {
		explain(c, &h, began_us);
	}
	easy_put(easy);
	curl_slist_free_all(h.headers);
	return answered;
}

/* Redirects: RFC 9110 section 15.4 */

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static bool is_clean_location(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= 0x20 || s.p[i] == 0x7F || s.p[i] == '\\')
			return false;
	return s.n <= OUTBOUND_URL_MAX;
}

static void refuse_redirect(struct chain *c, CURLU *to)
{
	struct buf host = BUF_ARENA(c->q->arena);

	if (to)
		escape_add(&host, ESCAPE_TERMINAL, part(c->q->arena, to, CURLUPART_HOST));
	snprintf(c->out->error, sizeof(c->out->error), "ERR:http:%d:redirect_refused:%.253s", c->out->status,
		 host.len ? buf_text(&host) : "unreadable_location");
}

static bool becomes_get(const struct chain *c)
{
	return (c->out->status == 303 && !str_is(c->method, "HEAD")) ||
		(c->out->status <= 302 && str_is(c->method, "POST"));
}

/* True when c goes on at the new place. */
static bool redirect(struct chain *c, struct str location, int64_t *left)
{
	struct arena *a = c->q->arena;
	CURLU *to = curl_url_dup(c->at);
	char *text = NULL;

	if (!to)
		log_fatal("outbound: out of memory");
	arena_defer(a, url_free, to);
	if (!is_clean_location(location) || curl_url_set(to, CURLUPART_URL, location.p, 0) != CURLUE_OK) {
		refuse_redirect(c, NULL);
		return false;
	}
	curl_url_set(to, CURLUPART_FRAGMENT, NULL, 0);
	if (!same_origin(a, c->at, to) || (c->q->same_method && becomes_get(c)) || (*left)-- <= 0 ||
	    curl_url_get(to, CURLUPART_URL, &text, 0) != CURLUE_OK) {
		refuse_redirect(c, to);
		return false;
	}
	c->at = to;
	c->url = arena_copy(a, str_of(text));
	curl_free(text);
	if (becomes_get(c)) {
		c->method = str_of("GET");
		c->plain = true;
	}
	return true;
}

void outbound_fetch(struct outbound_request *q, struct outbound_response *out)
{
	struct chain c = {
		.q = q, .out = out, .method = arena_copy(q->arena, q->method), .url = outbound_url(q, true),
	};
	int64_t timeout_ms = q->timeout_ms ? q->timeout_ms : outbound.conf->upstream_timeout_ms;
	int64_t redirects = outbound.conf->max_redirects;
	struct str location = str_of("");

	*out = (struct outbound_response){
		.body = str_of(""), .content_type = str_of(""), .retry_after = str_of(""), .wanted = str_of(""),
	};
	c.deadline_us = clock_mono_us() + timeout_ms * 1000;
	if (!url_as_meant(&c)) {
		snprintf(out->error, sizeof(out->error), "ERR:http:host_changed");
		return;
	}
	if (!c.at) {
		fail(&c, "the URL is malformed");
		return;
	}
	while (fetch_hop(&c, &location) && is_redirect(out->status) && location.n)
		if (!redirect(&c, location, &redirects))
			return;
	if (out->error[0])
		out->status = 0;
}

unsigned outbound_active(void)
{
	return outbound.active;
}

/* The process's side */

static bool has_certificate(FILE *f)
{
	char line[128];
	bool found = false;

	while (!found && fgets(line, sizeof(line), f))
		found = strncmp(line, "-----BEGIN ", 11) == 0 && strstr(line, "CERTIFICATE-----");
	return found;
}

/* Without OpenSSL, since the master asks before it forks. */
int outbound_check(const struct conf *conf, struct problem *why)
{
	const char *path = conf->upstream_ca_file, *wrong = NULL;
	FILE *f;

	if (!path[0])
		return 0;
	f = fopen(path, "re");
	if (!f)
		wrong = strerror(errno);
	else if (!has_certificate(f))
		wrong = "holds no certificate in PEM form";
	if (f)
		fclose(f);
	if (!wrong)
		return 0;
	problem_set(why, 500, "bad_configuration");
	problem_detail(why, "upstream_ca_file: %s: %s", path, wrong);
	return -1;
}

int outbound_init(const struct conf *conf, struct problem *why)
{
	if (outbound_check(conf, why) < 0)
		return -1;
	outbound.conf = conf;
	outbound.timer.fire = on_timer;
	outbound.start.run = start_hops;
	outbound.last = &outbound.first;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		log_fatal("outbound: curl cannot be initialised");
	outbound.multi = curl_multi_init();
	outbound.share = curl_share_init();
	if (!outbound.multi || !outbound.share)
		log_fatal("outbound: curl gives no multi handle");
	curl_share_setopt(outbound.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	curl_multi_setopt(outbound.multi, CURLMOPT_SOCKETFUNCTION, want_socket);
	curl_multi_setopt(outbound.multi, CURLMOPT_TIMERFUNCTION, want_timer);
	curl_multi_setopt(outbound.multi, CURLMOPT_MAXCONNECTS, (long)OUTBOUND_IDLE_CONNECTIONS);
	return 0;
}

void outbound_done(void)
{
	if (!outbound.multi)
		return;
	if (outbound.active)
		return;         /* their fibers hold what would be closed here; the process ends instead */
	while (outbound.pooled)
		curl_easy_cleanup(outbound.pool[--outbound.pooled]);
	curl_multi_cleanup(outbound.multi);
	curl_share_cleanup(outbound.share);
	loop_timer_cancel(&outbound.timer);
	curl_global_cleanup();
	outbound.multi = NULL;
}
