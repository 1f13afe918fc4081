/* Large documents: one making for all, in turns, both forms alike, and never older than the request. */
#include "../directory/fixture.h"
#include "base/gzip.h"
#include "web/large.h"

enum { TURNS = 50, PIECE = 10007, ASKERS = 10 };

static const char plain_row[] = "{\"type\":\"fn\",\"target\":\"now\",\"content\":\"# WHAT: x\",\"examples\":[\"\"]}";

/* What write does, and what it did. */
static struct {
	int made, turns, change_at, status;
	bool keep;
	void (*in_between)(void);
} doc;

/* One request and its answer. */
struct asked {
	struct arena *a;
	struct request req;
	struct response res;
	struct rest r;
	struct str text;                /* as it would be sent */
	const char *name;
	bool done;
};

static struct router_context context;

static int write_doc(struct rest *r, void *ctx, struct large_sink *s, struct problem *why)
{
	int version = ++doc.made;

	(void)r;
	(void)ctx;
	for (doc.turns = 0; doc.turns < TURNS; doc.turns++) {
		buf_printf(&s->text, "version %d, piece %d:%*s,", version, doc.turns, PIECE, "x");
		if (doc.turns == doc.change_at && doc.in_between)
			doc.in_between();
		if (doc.status)
			return problem_set(why, doc.status, "ledger_unavailable");
		large_turn(s);
	}
	s->text.data[s->text.len - 1] = '\n';   /* what a turn leaves can be taken back */
	s->keep = doc.keep;
	return 0;
}

/* The bytes that the client gets: pieces are collected. */
static struct str sent(struct asked *q)
{
	struct buf all = BUF_ARENA(q->a);

	if (!q->res.next)
		return q->res.body.p ? q->res.body : str_of("");
	for (struct str s = q->res.next(q->res.ctx); s.n; s = q->res.next(q->res.ctx))
		buf_putstr(&all, s);
	return buf_str(&all);
}

static void answer(void *arg)
{
	struct asked *q = arg;
	struct large l = { .name = q->name, .type = "text/plain", .write = write_doc };

	large_answer(&q->r, &l);
	q->text = sent(q);
	q->done = true;
}

/* header: a line of the FastCGI environment, or NULL. */
static void prepare(struct asked *q, const char *name, const char *header, const char *header2)
{
	const char **env;
	struct problem why;

	*q = (struct asked){ .a = arena_new(), .name = name };
	env = arena_alloc(q->a, 5 * sizeof(*env));
	env[0] = "REQUEST_METHOD=GET";
	env[1] = "REQUEST_URI=/";
	env[2] = header ? header : header2;
	env[3] = header ? header2 : NULL;
	request_init(&q->req, q->a, env, (struct str){ 0 }, &why);
	response_init(&q->res, q->a);
	q->r = (struct rest){ .service = &context, .req = &q->req, .res = &q->res, .arena = q->a };
}

static void ask(struct asked *q, const char *name, const char *header, const char *header2)
{
	prepare(q, name, header, header2);
	answer(q);
}

static void forget(struct asked *q)
{
	arena_free(q->a);
}

static const char *tag_header(struct asked *q)
{
	return arena_printf(service.a, "HTTP_IF_NONE_MATCH=%s", response_get(&q->res, "ETag"));
}

static const char *tag(struct asked *q)
{
	return response_get(&q->res, "ETag");
}

static void forms(void)
{
	struct asked plain, packed, again;
	struct gzip *g;
	size_t at = 0;
	bool same = true;

	ask(&plain, "forms", NULL, NULL);
	ask(&packed, "forms", "HTTP_ACCEPT_ENCODING=br, gzip", NULL);
	tap_is_int(doc.made, 1, "the second request is answered with what was kept");
	tap_ok(plain.res.status == 200 && plain.res.body.n == plain.text.n && plain.text.n > TURNS * PIECE &&
			str_starts(plain.text, "version 1, piece 0:") && plain.text.p[plain.text.n - 1] == '\n',
		"the plain form is whole, and as long as its head says");
	tap_ok(!response_get(&plain.res, "Content-Encoding") && strstr(response_get(&plain.res, "Vary"), "Accept-Encoding"),
		"it has no coding, and says that it could have one");
	tap_ok(packed.res.status == 200 && !strcmp(response_get(&packed.res, "Content-Encoding"), "gzip") &&
			strstr(response_get(&packed.res, "Vary"), "Accept-Encoding"),
		"the packed form is declared");
	g = gzip_unpack(packed.text);
	for (struct str s = gzip_next(g); s.n; s = gzip_next(g)) {
		same = same && at + s.n <= plain.text.n && memcmp(s.p, plain.text.p + at, s.n) == 0;
		at += s.n;
	}
	gzip_free(g);
	tap_ok(same && at == plain.text.n, "unpacked it is the plain form, byte for byte");
	tap_ok(strcmp(tag(&plain), tag(&packed)) != 0 && tag(&plain)[0] == '"' && tag(&packed)[0] == '"',
		"each has a strong tag of its own");
	for (int i = 0; i < 4; i++) {
		struct asked *had = i & 1 ? &packed : &plain;

		ask(&again, "forms", i & 2 ? "HTTP_ACCEPT_ENCODING=gzip" : NULL, tag_header(had));
		tap_ok(again.res.status == 304 && !again.text.n && !strcmp(tag(&again), tag(had)) &&
				!response_get(&again.res, "Content-Encoding"),
			"who has the %s form and takes %s gets 304 with its tag", i & 1 ? "packed" : "plain",
			i & 2 ? "gzip" : "plain");
		forget(&again);
	}
	ask(&again, "forms", NULL, "HTTP_IF_NONE_MATCH=\"other\"");
	tap_is_int(again.res.status, 200, "another tag is no reason for a 304");
	forget(&again);
	forget(&plain);
	forget(&packed);
}

static void together(void)
{
	struct asked q[ASKERS];
	struct fiber_group g = { 0 };
	bool same = true;

	doc.made = 0;
	for (int i = 0; i < ASKERS; i++) {
		prepare(&q[i], "together", i & 1 ? "HTTP_ACCEPT_ENCODING=gzip" : NULL, NULL);
		fiber_group_start(&g, answer, &q[i]);
	}
	fiber_group_wait(&g);
	for (int i = 0; i < ASKERS; i++)
		same = same && q[i].res.status == 200 && str_eq(q[i].text, q[i & 1].text);
	tap_ok(same && doc.made == 1, "%d requests at once are answered from one making", ASKERS);
	for (int i = 0; i < ASKERS; i++)
		forget(&q[i]);
}

/* A change in the middle, and somebody who asks after it. */
static struct asked early[2], late[2];
static struct fiber_group group;

static void change(void)
{
	doc.in_between = NULL;
	prepare(&early[1], "changing", NULL, NULL);
	fiber_group_start(&group, answer, &early[1]);
	fiber_sleep(0);
	service_put("ROW", plain_row);
	for (int i = 0; i < 2; i++) {
		prepare(&late[i], "changing", NULL, NULL);
		fiber_group_start(&group, answer, &late[i]);
	}
	fiber_sleep(0);
	tap_ok(!late[0].done && !late[1].done, "who asks after a change waits");
}

static void changed(void)
{
	struct asked after;

	doc.made = 0;
	doc.change_at = TURNS / 2;
	doc.in_between = change;
	ask(&early[0], "changing", NULL, NULL);
	tap_ok(!directory_body_get(service.d, "changing").p, "what began before a change is not kept");
	fiber_group_wait(&group);
	tap_ok(str_starts(early[0].text, "version 1,") && str_eq(early[0].text, early[1].text),
		"who asked before the change gets what was being made");
	tap_ok(str_starts(late[0].text, "version 2,") && str_eq(late[0].text, late[1].text) && doc.made == 2,
		"those who asked after it get what was made after it, once for both");
	ask(&after, "changing", NULL, NULL);
	tap_ok(str_eq(after.text, late[0].text) && doc.made == 2, "which is kept");
	service_put("ROW", plain_row);
	service_put("ROW", "{\"type\":\"fn\",\"target\":\"uuid\",\"content\":\"# WHAT: y\",\"examples\":[\"\"]}");
	directory_refresh(service.d);
	tap_ok(!directory_body_get(service.d, "changing").p, "until the next change");
	for (int i = 0; i < 2; i++) {
		forget(&early[i]);
		forget(&late[i]);
	}
	forget(&after);
}

static int ticks;
static bool ticking;

static void tick(void *arg)
{
	(void)arg;
	for (ticking = true; ticking; ticks++)
		fiber_sleep(0);
}

static void turns(void)
{
	struct asked q;

	fiber_start(tick, NULL);
	prepare(&q, "turns", NULL, NULL);
	fiber_sleep(0);
	ticks = 0;
	answer(&q);
	tap_ok(ticks >= TURNS, "others have a turn at each of the making's (%d of %d)", ticks, TURNS);
	forget(&q);
	ticks = 0;
	ask(&q, "turns", NULL, NULL);
	ticking = false;
	tap_ok(ticks > 0, "and while the plain form is unpacked (%d)", ticks);
	forget(&q);
	fiber_sleep(1);
}

static void refused(void)
{
	struct asked q[2];
	struct fiber_group g = { 0 };

	doc.made = 0;
	doc.status = 503;
	for (int i = 0; i < 2; i++) {
		prepare(&q[i], "refused", NULL, NULL);
		fiber_group_start(&g, answer, &q[i]);
	}
	fiber_group_wait(&g);
	tap_ok(q[0].res.status == 503 && q[1].res.status == 503, "what cannot be made is answered so, to each");
	for (int i = 0; i < 2; i++)
		forget(&q[i]);
	doc.status = 0;
	doc.keep = false;
	ask(&q[0], "refused", NULL, NULL);
	tap_ok(q[0].res.status == 200 && !directory_body_get(service.d, "refused").p,
		"the next try is a new one; what is not worth keeping is not kept");
	forget(&q[0]);
}

static void all(void)
{
	context = (struct router_context){ .conf = &service.conf, .directory = service.d };
	doc.keep = true;
	forms();
	together();
	changed();
	turns();
	refused();
}

int main(void)
{
	service_run(all);
	return tap_done();
}
