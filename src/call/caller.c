/* Credentials: the owner's key, tokens, or none. What a caller may run is the gate's to decide. */
#include "base/crypto.h"
#include "call/caller.h"

static struct {
	const struct secrets *secrets;
	struct directory *directory;
	struct arena *arena;
	struct scope *anonymous;
} caller;

int caller_init(const struct conf *conf, const struct secrets *secrets, struct directory *directory, struct problem *why)
{
	struct arena *arena = arena_new();
	struct scope *scope = NULL;

	if (scope_parse_setting(arena, str_of(conf->anonymous), &scope, why) < 0) {
		arena_free(arena);
		return -1;
	}
	caller_done();
	caller.secrets = secrets;
	caller.directory = directory;
	caller.arena = arena;
	caller.anonymous = scope;
	return 0;
}

void caller_done(void)
{
	arena_free(caller.arena);
	caller.arena = NULL;
	caller.anonymous = NULL;
}

void caller_anonymous(struct caller *out)
{
	*out = (struct caller){ .kind = CALLER_ANONYMOUS, .actor = "anonymous", .anonymous = caller.anonymous };
}

static int ambiguous(struct problem *why)
{
	problem_set(why, 400, "ambiguous_credential");
	problem_detail(why, "different credentials were given in one request");
	problem_fix(why, "send one credential, in one place");
	return -1;
}

static int invalid(struct problem *why)
{
	problem_set(why, 401, "token_invalid");
	problem_fix(why, "send the owner's key as x-terminal-key or Authorization: Bearer, a token as Authorization: "
		    "Bearer or x-capability-token, or nothing");
	return -1;
}

/* The one credential of the request, p NULL when there is none. -1: different ones. */
static int single(const struct caller_presented *p, struct str *one, struct problem *why)
{
	const struct str all[] = { p->terminal_key, p->bearer, p->capability_token, p->body_token, p->share };

	*one = str_make(NULL, 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (all[i].p && one->p && !crypto_equal(all[i], *one))
			return ambiguous(why);
		if (all[i].p)
			*one = all[i];
	}
	return 0;
}

static int resolve_token(struct caller *out, struct arena *a, struct str text, struct problem *why)
{
	struct token *t;
	int rc = token_find(caller.directory, a, text, &t, why);

	if (rc <= 0)
		return rc < 0 ? -1 : invalid(why);
	out->kind = CALLER_TOKEN;
	out->token = t;
	out->presented = arena_copy(a, text);
	out->actor = arena_printf(a, "cap:%s", t->name);
	return 0;
}

int caller_resolve(struct caller *out, struct arena *a, const struct caller_presented *p, struct problem *why)
{
	struct str one;

	caller_anonymous(out);
	if (single(p, &one, why) < 0)
		return -1;
	if (!one.p)
		return 0;
	if (token_is_text(one) && !p->terminal_key.p)
		return resolve_token(out, a, one, why);
	/* Whoever has put the owner's key into a URL has shown it to logs and histories: that request is refused
	 * whatever else it carries. */
	if (p->share.p || (!p->terminal_key.p && !p->bearer.p) || !secret_is_owner(caller.secrets, one))
		return invalid(why);
	out->kind = CALLER_OWNER;
	out->actor = "owner:terminal-key";
	return 0;
}

int caller_check(const struct caller *c, struct problem *why)
{
	return c->token ? token_check_alive(c->token, why) : 0;
}

bool caller_reads(const struct caller *c, struct str key, struct str category, bool enabled)
{
	if (c->kind == CALLER_OWNER)
		return true;
	if (!enabled)
		return false;
	if (c->anonymous && scope_reads(c->anonymous, key, category))
		return true;
	return c->token && caller_check(c, NULL) == 0 && scope_reads(c->token->scope, key, category);
}

bool caller_calls(const struct caller *c, struct str key, struct str category, bool enabled, bool sensitive)
{
	const struct token *t = c->token;

	if (c->low_risk && sensitive)
		return false;
	if (c->kind == CALLER_OWNER)
		return enabled;
	if (t)
		return enabled && t->gate != GATE_OWNER && (t->high || !sensitive) && scope_calls(t->scope, key, category) &&
		       caller_check(c, NULL) == 0;
	return enabled && !sensitive && c->anonymous && scope_calls(c->anonymous, key, category);
}

static bool reads(void *ctx, struct str key, struct str category, bool enabled)
{
	return caller_reads(ctx, key, category, enabled);
}

struct directory_reader caller_reader(const struct caller *c)
{
	return (struct directory_reader){ reads, (void *)(uintptr_t)c };
}

bool caller_is_owner(const struct caller *c)
{
	return c->kind == CALLER_OWNER && !c->low_risk;
}
