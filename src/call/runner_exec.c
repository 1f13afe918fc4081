/* Rows of type fn with runner=exec: a program of the administrator's folder, run by the exec process (daemon/exec.h).
 * The worker builds what is to be run and reads what came of it; it starts nothing itself. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "call/arguments.h"
#include "call/media.h"
#include "call/program.h"
#include "call/shape.h"
#include "lang/authspec.h"
#include "loop/stream.h"

enum { EXEC_SPARE_MS = 2000 };          /* that the exec process may take beyond the program's own time */

struct built {
	struct program_request q;
	struct authspec auth;
};

static int too_long(struct problem *why, const char *what, int max)
{
	problem_set(why, 413, "args_too_long");
	problem_field(why, "args");
	problem_detail(why, "%s, at most %d", what, max);
	problem_fix(why, "a program takes its arguments from the command line: send less, or what it can fetch itself");
	return -1;
}

static int check_args(const struct program_request *q, struct problem *why)
{
	size_t total = 0;

	if (q->args > PROGRAM_ARGS_MAX)
		return too_long(why, "too many arguments", PROGRAM_ARGS_MAX);
	for (size_t i = 0; i < q->args; i++) {
		total += q->arg[i].n;
		if (q->arg[i].n > PROGRAM_ARG_MAX)
			return too_long(why, "an argument is too long, in bytes", PROGRAM_ARG_MAX);
		if (q->arg[i].n && memchr(q->arg[i].p, 0, q->arg[i].n)) {
			problem_set(why, 422, "args_invalid");
			problem_field(why, "args");
			problem_detail(why, "an argument of a program cannot hold NUL");
			return -1;
		}
	}
	if (total > PROGRAM_ARGS_BYTES_MAX)
		return too_long(why, "the arguments are too long, in bytes", PROGRAM_ARGS_BYTES_MAX);
	return 0;
}

/* The elements of the row's template, or the call's arguments as they are. False: settled. */
static bool take_args(struct call *c, struct program_request *q)
{
	struct json_object *list = NULL;
	struct str *arg;

	if (!str_trim(c->entry->doc.payload).n) {
		q->arg = c->args.arg;
		q->args = !c->request->arg && c->args.n == 1 && !c->args.arg[0].n ? 0 : c->args.n;
		return true;
	}
	if (!arguments_elements(c, &list))
		return false;
	q->args = json_object_array_length(list);
	q->arg = arg = arena_alloc(c->arena, (q->args ? q->args : 1) * sizeof(*arg));
	for (size_t i = 0; i < q->args; i++)
		arg[i] = arguments_text(c->arena, json_object_array_get_idx(list, i));
	return true;
}

static int prepare(struct call *c, struct problem *why)
{
	struct built *b = arena_alloc(c->arena, sizeof(*b));
	struct problem fault = { 0 };

	c->built = b;
	b->q.name = c->entry->target;
	if (!program_name_is_valid(b->q.name)) {
		runner_settle(c, "ERR:exec:bad_name:", c->entry->target);
	} else if (authspec_parse(c->arena, c->entry->auth, &b->auth, &fault) < 0) {
		runner_settle(c, "ERR:exec:bad_auth:", str_of(fault.detail));
	} else if (take_args(c, &b->q)) {
		return check_args(&b->q, why);
	}
	return 0;
}

/* Variables: NAME=value of each that the row's auth names; those without a value are left out. */

struct variables { struct call *call; struct buf env, missing; struct json_object *names; };

static void add_variable(void *ctx, struct str name)
{
	struct variables *v = ctx;
	struct str value = secret_get(dispatch_context()->secrets, name), text;

	if (v->names)
		json_object_array_add(v->names, json_new_str(name));
	if (!value.n) {
		buf_printf(&v->missing, "%scredential_missing:%.*s", v->missing.len ? "," : "", (int)name.n, name.p);
		return;
	}
	text = str_of(arena_printf(v->call->arena, "%.*s=%.*s", (int)name.n, name.p, (int)value.n, value.p));
	buf_add(&v->env, &text, sizeof(text));
}

static void read_variables(struct variables *v, struct call *c, struct json_object *names)
{
	const struct built *b = c->built;

	*v = (struct variables){ c, BUF_ARENA(c->arena), BUF_ARENA(c->arena), names };
	authspec_names(&b->auth, add_variable, v);
}

static struct json_object *shape(struct call *c)
{
	const struct built *b = c->built;
	struct json_object *o = json_object_new_object(), *args = json_object_new_array();
	struct json_object *names = json_object_new_array(), *notes;
	struct variables v;
	struct str rest;

	json_put_str(o, "program", b->q.name);
	for (size_t i = 0; i < b->q.args; i++)
		json_object_array_add(args, json_new_str(shape_text(c->arena, dispatch_context()->secrets, b->q.arg[i])));
	json_put(o, "args", args);
	read_variables(&v, c, names);
	json_put(o, "environment", names);
	if (!v.missing.len)
		return o;
	notes = json_object_new_array();
	for (rest = buf_str(&v.missing); rest.p;)
		json_object_array_add(notes, json_new_str(str_cut(&rest, ',')));
	json_put(o, "notes", notes);
	return o;
}

/* Running */

/* False: the exec process cannot be asked. */
static bool ask(struct call *c, const struct program_request *q, struct buf *message, struct program_answer *answer)
{
	const struct conf *conf = dispatch_context()->conf;
	int fd = stream_connect(arena_printf(c->arena, "%s/exec.sock", conf->run_dir));
	struct buf request = BUF_ARENA(c->arena);
	bool done;

	if (fd < 0)
		return false;
	program_put_request(&request, q);
	done = stream_send(fd, buf_str(&request), q->timeout_ms) == 0 &&
	       stream_receive(fd, message, (size_t)conf->max_exec_output + PROGRAM_SLACK, q->timeout_ms + EXEC_SPARE_MS) == 0 &&
	       program_get_answer(buf_str(message), answer) == 0;
	close(fd);
	return done;
}

static void put_answer(struct call *c, const struct program_answer *r)
{
	struct buf err = BUF_ARENA(c->arena);

	if (r->end == PROGRAM_TIMEOUT) {
		buf_puts(&c->result, "ERR:exec:timeout");
	} else if (r->end == PROGRAM_REFUSED) {
		buf_printf(&c->result, "ERR:exec:%.*s", (int)r->err.n, r->err.p);
	} else if (r->code) {
		media_text(&err, str_of("text/plain; charset=utf-8"), str_trim(r->err), false);
		buf_printf(&c->result, "ERR:exec:exit:%d:", r->code);
		buf_putstr(&c->result, buf_str(&err));
	} else {
		runner_put(c, str_make(NULL, 0), r->out, r->cut);
	}
}

static void run(struct call *c)
{
	struct built *b = c->built;
	struct program_answer answer = { 0 };
	struct buf message = BUF_ARENA(c->arena);
	struct variables v;

	read_variables(&v, c, NULL);
	b->q.env = (const struct str *)(const void *)v.env.data;
	b->q.envs = v.env.len / sizeof(struct str);
	b->q.timeout_ms = runner_time_ms(c, dispatch_context()->conf->exec_timeout_ms);
	if (ask(c, &b->q, &message, &answer))
		put_answer(c, &answer);
	else
		buf_puts(&c->result, "ERR:exec:unavailable");
}

static bool intent(const struct call *c)
{
	(void)c;
	return true;
}

const struct runner runner_exec = {
	.type = "fn", .exec = true, .prepare = prepare, .shape = shape, .run = run, .intent = intent
};
