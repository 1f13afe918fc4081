/* `rowcall prune`: one request after the other until nothing is left to go, so that no other call waits long. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "ctl/api.h"
#include "ctl/out.h"

enum { DATE = 10 };                     /* characters of 2026-01-31 */

/* "90d": how long in milliseconds, or -1. */
static int64_t span(const char *text)
{
	static const struct { char unit; int64_t ms; } units[] = {
		{ 's', 1000 }, { 'm', 60 * 1000 }, { 'h', 3600 * 1000 }, { 'd', 24 * 3600 * 1000 },
	};
	char *end;
	long n = strtol(text, &end, 10);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && n >= 0 && n < 1000000 && end[0] == units[i].unit && !end[1])
			return n * units[i].ms;
	return -1;
}

/* What the options say; -1 after saying what is wrong with them. */
static int read_before(const struct ctl_args *args, char before[CLOCK_ISO])
{
	const char *date = ctl_value(args, "before"), *age = ctl_value(args, "older-than");
	char text[64];
	int64_t ms;

	if (!date == !age)
		return ctl_fail(-1, "either --before or --older-than says what is old");
	if (age && (ms = span(age)) < 0)
		return ctl_fail(-1, "an age is a number with its unit, 90d, 12h, 30m or 45s, not `%s`", age);
	if (age)
		ms = clock_ms() - ms;
	else if (snprintf(text, sizeof(text), "%s%s", date, strlen(date) == DATE ? "T00:00:00Z" : "") >= (int)sizeof(text) ||
		clock_parse(str_of(text), &ms) < 0)
		return ctl_fail(-1, "a date is 2026-01-31 or 2026-01-31T12:00:00Z, not `%s`", date);
	clock_iso(ms < 0 ? 0 : ms, before);     /* nothing is older */
	return 0;
}

struct pruned { int64_t receipts, through; };

static int prune_all(struct api *a, struct json_object *body, bool progress, struct pruned *p, struct json_object **last)
{
	struct api_request q = { .method = "POST", .path = "/api/prune", .json = body };
	struct api_answer answer;
	int64_t before = 0, after = 0;
	int code;

	do {
		before = after;
		code = api_send(a, &q, &answer);
		if (code)
			break;
		p->receipts += json_object_get_int64(json_get(answer.json, "receipts"));
		if (json_object_get_int64(json_get(answer.json, "through")))
			p->through = json_object_get_int64(json_get(answer.json, "through"));
		after = json_object_get_int64(json_get(answer.json, "after"));
		json_put_int(body, "after", after);
		if (progress)
			fprintf(stderr, "\r\033[Kprune: %" PRId64 " receipts", p->receipts);
		*last = answer.json;
	} while (json_object_get_boolean(json_get(answer.json, "more")) && after > before);
	if (progress)
		fputs("\r\033[K", stderr);
	return code;
}

static void print(const struct ctl_args *args, const struct pruned *p, struct json_object *last)
{
	bool dry = ctl_has(args, "dry-run");

	if (ctl_has(args, "json")) {
		json_put_int(last, "receipts", p->receipts);
		json_put_int(last, "through", p->through);
		json_object_object_del(last, "more");
		json_object_object_del(last, "after");
		out_json(last);
	} else {
		printf("%" PRId64 " receipts from before %s %s\n", p->receipts, json_object_get_string(json_get(last, "before")),
			dry ? "would be pruned" : "were pruned");
	}
}

int ctl_prune(const struct ctl_args *args)
{
	const char *keep = ctl_value(args, "keep");
	char before[CLOCK_ISO], *end = NULL;
	struct json_object *body, *last = NULL;
	struct pruned p = { 0 };
	int code = CTL_OK;
	struct api *a;

	if (keep && (strtoll(keep, &end, 10) < 1 || *end))
		return ctl_fail(CTL_USAGE, "--keep wants a number from 1 on, not `%s`", keep);
	if (read_before(args, before) < 0)
		return ctl_fail(CTL_USAGE, "see rowcall prune --help");
	a = api_open(args, &code);
	if (!a)
		return code;
	body = arena_json(api_arena(a), json_object_new_object());
	json_put_text(body, "before", before);
	json_put_int(body, "keep", keep ? strtoll(keep, NULL, 10) : 1);
	json_put_bool(body, "dry_run", ctl_has(args, "dry-run"));
	code = prune_all(a, body, isatty(STDERR_FILENO) && !ctl_has(args, "json"), &p, &last);
	if (code == CTL_OK)
		print(args, &p, last);
	else if (p.receipts && !ctl_has(args, "dry-run"))
		ctl_fail(0, "%" PRId64 " receipts were pruned before that", p.receipts);
	api_close(a);
	return code;
}
