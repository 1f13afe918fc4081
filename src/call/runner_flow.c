/* flow rows: calls of other rows, one after another, side by side, or one of two. Every step goes through dispatch_call
 * under the caller's own authority and the trace's one budget, and has its own receipt. The language is lang/flow.h's. */
#include <inttypes.h>
#include "call/runner.h"
#include "directory/directory.h"
#include "lang/flow.h"
#include "loop/fiber.h"

struct binding { struct str name, value; };

/* A flow on its way. */
struct progress {
	struct call *call;
	const struct flow *flow;
	struct template_args args;      /* the flow's own, with $PREV and the bindings */
	struct buf bindings;            /* of struct binding; a later one of the same name wins */
	struct buf prev;                /* output of the last step */
	bool truth;                     /* what the last test said */
};

/* The output of one call, kept apart from the memory that the call took. */
struct output { struct buf text; bool ok, truth; };

static struct str lookup(void *ctx, struct str name)
{
	const struct progress *p = ctx;
	const struct binding *b = (const struct binding *)(const void *)p->bindings.data;
	const struct template_args *own = &p->call->args;

	for (size_t i = p->bindings.len / sizeof(*b); i > 0; i--)
		if (str_eq(b[i - 1].name, name))
			return b[i - 1].value;
	return own->lookup ? own->lookup(own->ctx, name) : str_make(NULL, 0);
}

static void bind_name(struct progress *p, struct str name, struct str value)
{
	struct binding b = { name, arena_copy(p->call->arena, value) };

	if (name.p)
		buf_add(&p->bindings, &b, sizeof(b));
}

static void begin(struct progress *p, struct call *c)
{
	*p = (struct progress){ .call = c, .flow = c->built, .args = c->args, .bindings = BUF_ARENA(c->arena) };
	p->args.lookup = lookup;
	p->args.ctx = p;
}

/* Preparing */

/* What the calls that surely come would take, flows in flows with them, so that a cycle or a fan-out over the budget
 * stops before anything has fired. *steps is what is left. */
static int measure(struct arena *a, const struct flow *flow, int64_t depth, int64_t *steps, struct problem *why);

static int measure_call(struct arena *a, struct str key, int64_t depth, int64_t *steps, struct problem *why)
{
	const struct conf *conf = dispatch_context()->conf;
	struct entry *e = NULL;
	struct flow inner;

	if (depth >= conf->trace_depth)
		return problem_set(why, 422, "budget_exceeded:depth:%" PRId64, conf->trace_depth);
	if (--*steps < 0)
		return problem_set(why, 422, "budget_exceeded:steps:%" PRId64, conf->trace_steps);
	if (directory_get(dispatch_context()->directory, a, key, &e, why) < 0)
		return -1;
	if (!e || !str_is(e->type, "flow") || flow_parse(a, e->doc.payload, e->doc.line, &inner, NULL) < 0)
		return 0;
	return measure(a, &inner, depth + 1, steps, why);
}

static int measure(struct arena *a, const struct flow *flow, int64_t depth, int64_t *steps, struct problem *why)
{
	for (size_t i = 0; i < flow->n; i++) {
		const struct flow_step *s = &flow->step[i];

		for (size_t k = 0; s->kind != FLOW_CHOICE && k < s->n; k++)
			if (measure_call(a, s->call[k].key, depth, steps, why) < 0)
				return -1;
	}
	return 0;
}

static int check_size(const struct call *c, const struct flow *flow, struct problem *why)
{
	const struct dispatch_request *r = c->request;
	int64_t steps = dispatch_context()->conf->trace_steps - r->trace->steps;
	struct arena *a = arena_new();
	int rc = measure(a, flow, r->depth + 1, &steps, why);

	arena_free(a);
	return rc;
}

static int prepare(struct call *c, struct problem *why)
{
	struct flow *flow = arena_alloc(c->arena, sizeof(*flow));
	struct problem fault = { 0 };

	c->built = flow;
	if (flow_parse(c->arena, c->entry->doc.payload, c->entry->doc.line, flow, &fault) == 0)
		return check_size(c, flow, why);
	c->settled = true;
	if (flow->bad_step.p)
		buf_printf(&c->result, "ERR:flow:bad_step:%.*s", (int)flow->bad_step.n, flow->bad_step.p);
	else
		buf_printf(&c->result, "ERR:flow:%s:%s", fault.error, fault.detail);
	return 0;
}

/* Running */

/* dispatch_call of one written call, shaped or run. True: out says what came of it, or, when it has a status, why;
 * false: its arguments are too long. */
static bool dispatch(struct progress *p, struct arena *a, const struct flow_call *written, struct dispatch_request *r,
	struct dispatch_result *out, struct problem *why)
{
	const struct dispatch_request *outer = p->call->request;
	struct str *arg;

	*r = (struct dispatch_request){
		.arena = a, .caller = outer->caller, .trace = outer->trace, .parent = p->call->id, .depth = outer->depth + 1,
		.key = written->key, .shape = outer->shape,
		.on_behalf_of = outer->on_behalf_of, .authorized_by = outer->authorized_by,
	};
	if (template_expand_arguments(a, written->piece, written->n, &p->args, &arg, &r->args) < 0)
		return false;
	r->arg = arg;
	dispatch_call(r, out, why);
	return true;
}

/* Whether a test's output means yes: it holds something, and that is not `false` or `0`. */
static bool is_true(const struct dispatch_result *r)
{
	struct str s = str_trim(str_skip(r->result, r->label));

	return r->material && !str_is(s, "false") && !str_is(s, "0");
}

static void call_one(struct progress *p, const struct flow_call *written, struct output *out)
{
	struct arena *a = arena_new();
	struct dispatch_request request;
	struct dispatch_result result = { .ran = false };
	struct problem why = { 0 };

	buf_clear(&out->text);
	if (!dispatch(p, a, written, &request, &result, &why)) {
		buf_printf(&out->text, "ERR:flow:%.*s:arguments_too_long", (int)written->key.n, written->key.p);
	} else if (why.status == 202) {
		buf_printf(&out->text, "ERR:%s", why.error);
	} else if (why.status) {
		buf_printf(&out->text, "ERR:flow:%.*s:%s", (int)written->key.n, written->key.p, why.error);
	} else {
		buf_putstr(&out->text, result.result);
	}
	out->ok = !str_starts(buf_str(&out->text), "ERR:");
	out->truth = out->ok && is_true(&result);
	runner_include(p->call, &result.spent);
	arena_free(a);
}

/* One call, whose output becomes the flow's. */
static bool run_call(struct progress *p, const struct flow_call *written)
{
	struct output out = { .text = BUF_MALLOC };

	call_one(p, written, &out);
	buf_free(&p->prev);
	p->prev = out.text;
	p->truth = out.truth;
	bind_name(p, written->name, buf_str(&p->prev));
	return out.ok;
}

/* Branches of a block: as many fibers as the setting allows take one after the other. */
struct branches {
	struct progress *progress;
	const struct flow_step *step;
	struct output *out;
	size_t next;
};

static void run_branches(void *arg)
{
	struct branches *b = arg;

	while (b->next < b->step->n) {
		size_t i = b->next++;

		call_one(b->progress, &b->step->call[i], &b->out[i]);
	}
}

/* The outputs as they were written, each under its number and key. */
static void join(struct progress *p, const struct flow_step *s, struct output *out)
{
	buf_clear(&p->prev);
	for (size_t i = 0; i < s->n; i++) {
		const struct flow_call *c = &s->call[i];

		buf_printf(&p->prev, "%s[%zu] %.*s\n", i ? "\n\n" : "", i + 1, (int)c->key.n, c->key.p);
		buf_putstr(&p->prev, buf_str(&out[i].text));
		bind_name(p, c->name, buf_str(&out[i].text));
		buf_free(&out[i].text);
	}
	bind_name(p, s->name, buf_str(&p->prev));
}

static void run_block(struct progress *p, const struct flow_step *s)
{
	struct branches b = { p, s, arena_alloc(p->call->arena, s->n * sizeof(*b.out)), 0 };
	int64_t most = dispatch_context()->conf->flow_branches;
	struct fiber_group group = { 0 };

	for (size_t i = 0; i < s->n && (int64_t)i < most; i++)
		fiber_group_start(&group, run_branches, &b);
	fiber_group_wait(&group);
	join(p, s, b.out);
}

/* False: the flow stops with what is in prev. */
static bool run_step(struct progress *p, const struct flow_step *s)
{
	switch (s->kind) {
	case FLOW_CALL:
	case FLOW_TEST:
		return run_call(p, &s->call[0]);
	case FLOW_BLOCK:
		run_block(p, s);
		return true;
	case FLOW_CHOICE:
		if (p->truth)
			return run_call(p, &s->call[0]);
		return s->n < 2 || run_call(p, &s->call[1]);
	}
	return false;
}

static void run(struct call *c)
{
	struct progress p;

	begin(&p, c);
	for (size_t i = 0; i < p.flow->n; i++) {
		bool on = run_step(&p, &p.flow->step[i]);

		p.args.prev = buf_str(&p.prev);
		runner_progress(c, i + 1, p.flow->n);
		if (!on)
			break;
	}
	buf_putstr(&c->result, buf_str(&p.prev));
	buf_free(&p.prev);
}

/* Its steps leave their own. */
static bool intent(const struct call *c)
{
	(void)c;
	return false;
}

/* The plan of a dry run */

static struct json_object *plan_arguments(const struct dispatch_request *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->args; i++)
		json_object_array_add(list, json_new_str(r->arg[i]));
	return list;
}

static struct json_object *plan_call(struct progress *p, const struct flow_call *written)
{
	struct json_object *o = json_object_new_object();
	struct arena *a = arena_new();
	struct dispatch_request request;
	struct dispatch_result result;
	struct problem why = { 0 };

	json_put_str(o, "key", written->key);
	if (written->name.p)
		json_put_str(o, "binds", written->name);
	if (!dispatch(p, a, written, &request, &result, &why))
		problem_set(&why, 422, "args_invalid");
	json_put(o, "args", plan_arguments(&request));
	if (why.status)
		json_put_text(o, "error", why.error);
	else if (!result.ok)
		json_put_str(o, "error", result.result);
	else
		json_put(o, "shape", json_object_get(result.shaped));
	arena_free(a);
	return o;
}

static struct json_object *plan_step(struct progress *p, const struct flow_step *s)
{
	static const char *const name[] = {
		[FLOW_CALL] = "call", [FLOW_BLOCK] = "block", [FLOW_TEST] = "test", [FLOW_CHOICE] = "choice"
	};
	struct json_object *o = json_object_new_object(), *calls = json_object_new_array();

	json_put_text(o, "step", name[s->kind]);
	for (size_t i = 0; i < s->n; i++)
		json_object_array_add(calls, plan_call(p, &s->call[i]));
	json_put(o, "calls", calls);
	if (s->name.p)
		json_put_str(o, "binds", s->name);
	return o;
}

/* $PREV and the bindings stand as they are: what they will hold is not known. */
static struct json_object *shape(struct call *c)
{
	struct json_object *o = json_object_new_object(), *plan = json_object_new_array();
	struct progress p;

	begin(&p, c);
	for (size_t i = 0; i < p.flow->n; i++)
		json_object_array_add(plan, plan_step(&p, &p.flow->step[i]));
	json_put(o, "plan", plan);
	return o;
}

const struct runner runner_flow = { .type = "flow", .prepare = prepare, .shape = shape, .run = run, .intent = intent };
