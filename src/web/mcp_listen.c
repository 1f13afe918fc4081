/* subscriptions/listen: a stream that says when what a client has listed may have changed. It says so for changes of rows
 * that the credential reads, or has read, and ends with the credential. What is woken when is store/change.c's. */
#include <string.h>
#include "base/crypto.h"
#include "store/change.h"
#include "web/emit.h"
#include "web/mcp.h"

enum { EVENTS_MAX = 256 };              /* changes looked at one by one; more at once concern everybody */

/* What can be listened to: served where the method that lists it is. */
static const struct topic { const char *wanted, *capability, *method; } topics[] = {
	{ "toolsListChanged", "tools", "notifications/tools/list_changed" },
	{ "promptsListChanged", "prompts", "notifications/prompts/list_changed" },
	{ "resourcesListChanged", "resources", "notifications/resources/list_changed" },
};

enum { TOPICS = sizeof(topics) / sizeof(topics[0]) };

struct listener {
	struct mcp *m;
	struct change_waiter waiter;
	bool wanted[TOPICS];
	char owner[CRYPTO_HEX];         /* digest of the owner's key that opened it; "": another credential did */
	uint64_t generation;            /* of the directory, and then: */
	int64_t seq;                    /* the last event that was looked at */
	uint64_t seen;                  /* a digest of the keys that are read, and whether they are called */
};

/* What the credential sees */

static void digest_owner(const struct listener *l, char out[CRYPTO_HEX])
{
	crypto_sha256_hex(secret_owner(l->m->r->service->secrets), out);
}

static bool is_owner_still(const struct listener *l)
{
	char now[CRYPTO_HEX];

	secret_refresh(l->m->r->service->secrets);
	digest_owner(l, now);
	return strcmp(now, l->owner) == 0;
}

/* As it is now; false when it is no good any more. The token is a's. */
static bool look_up(const struct listener *l, struct arena *a, struct caller *who)
{
	struct token *t = NULL;
	struct problem why = { 0 };

	*who = l->m->r->caller;
	if (who->kind == CALLER_OWNER)
		return is_owner_still(l);
	if (!who->token)
		return true;
	if (token_get(l->m->r->service->directory, a, str_of(who->token->name), &t, &why) <= 0)
		return why.status == 503;       /* it cannot be read now, as little as the rows */
	who->token = t;
	return caller_check(who, &why) == 0;
}

/* FNV-1a, 64 bits: equal texts are what matters, nobody gains from others that are equal. */
static uint64_t digest(uint64_t h, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * UINT64_C(0x100000001B3);
	return h;
}

static uint64_t visible(const struct listener *l, const struct caller *who)
{
	struct directory_reader reader = caller_reader(who);
	size_t n;
	const struct directory_item *item = directory_items(l->m->r->service->directory, &n);
	uint64_t h = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < n; i++) {
		if (!directory_reads(&reader, &item[i]))
			continue;
		h = digest(h, item[i].key.p, item[i].key.n);
		h = digest(h, caller_calls(who, item[i].key, item[i].category, item[i].enabled, item[i].sensitive) ? "+" : "-", 1);
	}
	return h;
}

static bool reads(const struct listener *l, const struct caller *who, struct str key)
{
	struct directory *d = l->m->r->service->directory;
	struct directory_reader reader = caller_reader(who);
	int64_t at = directory_row_num(d, key);
	size_t n;
	const struct directory_item *item = directory_items(d, &n);

	return at > 0 && directory_reads(&reader, &item[at - 1]);
}

/* Whether an event since the last look is one of a row that is read. */
static bool concerned(struct listener *l, const struct caller *who)
{
	struct db *db = directory_db(l->m->r->service->directory);
	struct db_stmt *s = db_start(db, SQL_EVENT_KEYS, "ii", l->seq, (int64_t)EVENTS_MAX);
	bool any = false, found;
	int n = 0;

	for (; db_step(s) == 1; n++) {
		l->seq = db_int(s, 0);
		any = any || reads(l, who, db_text(s, 1));
	}
	db_end(s);
	if (n < EVENTS_MAX)
		return any;
	db_one_int(db, SQL_DIRECTORY_VERSION, &l->seq, &found, "");
	return true;
}

static bool changed(struct listener *l, const struct caller *who)
{
	uint64_t generation = directory_refresh(l->m->r->service->directory), seen;
	bool concerns;

	if (generation == l->generation)
		return false;
	l->generation = generation;
	concerns = concerned(l, who);
	seen = visible(l, who);
	concerns = concerns || seen != l->seen;
	l->seen = seen;
	return concerns;
}

/* Messages. All bear the subscription's id, which is that of the request. */

static void emit_subscription(const struct listener *l, struct buf *out)
{
	emit_begin(out, "_meta", '{');
	emit_raw(out, MCP_STD "subscriptionId", l->m->id);
	emit_end(out, '}');
}

static int acknowledge(const struct listener *l, struct sse *s)
{
	struct buf out = BUF_MALLOC;

	mcp_notice_begin(&out, "notifications/subscriptions/acknowledged");
	emit_subscription(l, &out);
	emit_begin(&out, "notifications", '{');
	for (size_t i = 0; i < TOPICS; i++)
		if (l->wanted[i])
			emit_bool(&out, topics[i].wanted, true);
	emit_end(&out, '}');
	return mcp_notice_end(&out, s);
}

static int announce(const struct listener *l, struct sse *s)
{
	for (size_t i = 0; i < TOPICS; i++) {
		struct buf out = BUF_MALLOC;

		if (!l->wanted[i])
			continue;
		mcp_notice_begin(&out, topics[i].method);
		emit_subscription(l, &out);
		if (mcp_notice_end(&out, s) < 0)
			return -1;
	}
	return 0;
}

/* The request's result, which only says that the stream has ended. */
static void say_end(const struct listener *l, struct sse *s)
{
	emit_subscription(l, mcp_begin(l->m));
	mcp_end(l->m);
	sse_send(s, str_trim(l->m->r->res->body));
}

/* False: the stream is at its end. */
static bool tell(struct listener *l, struct sse *s)
{
	struct arena *a = arena_new_small();
	struct caller who;
	bool good = look_up(l, a, &who), news = good && changed(l, &who);

	arena_free(a);
	if (!good)
		say_end(l, s);
	return good && (!news || announce(l, s) == 0);
}

static void run(struct sse *s, void *ctx)
{
	struct listener *l = ctx;
	enum fastcgi_wait got = FASTCGI_WOKEN;

	change_wait(&l->waiter, l->m->r->service->shared);
	if (acknowledge(l, s) == 0)
		do
			got = sse_wait(s);
		while ((got == FASTCGI_WOKEN || got == FASTCGI_TIMEOUT) && tell(l, s));
	if (got == FASTCGI_DRAINS)
		say_end(l, s);
	change_leave(&l->waiter);
}

/* What is asked for and served. -1 after answering. */
static int read_wishes(struct mcp *m, struct listener *l)
{
	struct json_object *wishes = json_get(m->params, "notifications");

	if (!json_object_is_type(wishes, json_type_object)) {
		mcp_error(m, MCP_INVALID_PARAMS, NULL, "params.notifications is an object: what to be told of");
		return -1;
	}
	for (size_t i = 0; i < TOPICS; i++) {
		struct json_object *wish = json_get(wishes, topics[i].wanted);

		l->wanted[i] = json_object_is_type(wish, json_type_boolean) && json_object_get_boolean(wish) &&
			       mcp_serves(m->era, topics[i].capability);
	}
	return 0;
}

void mcp_listen(struct mcp *m)
{
	struct listener *l = arena_alloc(m->r->arena, sizeof(*l));
	struct directory *d = m->r->service->directory;
	struct problem why = { 0 };
	bool found;

	*l = (struct listener){ .m = m };
	if (m->r->caller.kind == CALLER_OWNER)
		digest_owner(l, l->owner);
	if (read_wishes(m, l) < 0)
		return;
	/* From here on nothing is missed. */
	l->generation = directory_refresh(d);
	l->seen = visible(l, &m->r->caller);
	if (db_one_int(directory_db(d), SQL_DIRECTORY_VERSION, &l->seq, &found, "") < 0) {
		problem_unavailable(&why, "the directory cannot be read now");
		mcp_problem(m, &why);
	} else if (sse_begin(m->r, true, run, l, &why) < 0) {
		mcp_problem(m, &why);
	}
}
