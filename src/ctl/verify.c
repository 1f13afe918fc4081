/* `rowcall verify`: prints what audit.c finds in a service's files or in a backup. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/escape.h"
#include "base/json.h"
#include "ctl/audit.h"
#include "ctl/ctl.h"
#include "ctl/place.h"

struct report {
	bool json;
	struct json_object *findings;   /* with json */
	bool progress;                  /* a line on the terminal says what is being read */
};

static void print_found(void *ctx, const struct audit_finding *f)
{
	struct report *r = ctx;
	struct buf b = BUF_MALLOC;

	if (r->json) {
		struct json_object *o = json_object_new_object();

		json_put_text(o, "file", f->file);
		json_put_text(o, "check", f->check);
		json_put_str(o, "id", f->id);
		json_put_text(o, "what", f->what);
		json_object_array_add(r->findings, o);
	} else {
		buf_printf(&b, "%s: %s: ", f->file, f->check);
		escape_add(&b, ESCAPE_TERMINAL, f->id);
		buf_puts(&b, ": ");
		escape_add(&b, ESCAPE_TERMINAL, str_of(f->what));
		puts(buf_text(&b));
	}
	buf_free(&b);
}

static void print_step(void *ctx, const char *check)
{
	const struct report *r = ctx;

	if (r->progress)
		fprintf(stderr, "\r\033[Kverify: %s", check);
}

static void head_text(const struct verify_head *h, struct buf *out)
{
	escape_add(out, ESCAPE_TERMINAL, str_of(h->hash));
	buf_printf(out, "@%" PRId64, h->seq);
}

static void print_table(struct audit *a)
{
	static const char *const names[SQL_FILES] = { "head", "ledger head" };

	for (unsigned i = 0; i < a->checks; i++) {
		const struct audit_check *c = &a->check[i];

		if (strcmp(c->name, "pages") == 0)
			continue;
		printf("%-13s %-15s %9" PRId64 "  ", c->file, c->name, c->count);
		if (c->bad)
			printf("%" PRId64 " bad\n", c->bad);
		else
			puts("ok");
	}
	for (int f = 0; f < SQL_FILES; f++) {
		struct buf b = BUF_MALLOC;

		head_text(&a->head[f], &b);
		printf("%-13s %s\n", names[f], buf_text(&b));
		buf_free(&b);
	}
	if (a->unsealed)
		printf("%" PRId64 " receipts are not sealed yet: only their digests of inputs and outputs can be checked\n", a->unsealed);
	if (a->open_intents)
		printf("%" PRId64 " calls have no outcome yet; without a running service they get one, `unknown`, at the next start\n",
			a->open_intents);
}

static void print_json(struct audit *a, struct json_object *findings)
{
	static const char *const names[SQL_FILES] = { "head", "ledger_head" };
	struct json_object *o = json_object_new_object(), *checks = json_object_new_array();
	struct buf b = BUF_MALLOC;

	json_put_bool(o, "ok", a->bad == 0);
	for (unsigned i = 0; i < a->checks; i++) {
		struct json_object *c = json_object_new_object();

		json_put_text(c, "file", a->check[i].file);
		json_put_text(c, "check", a->check[i].name);
		json_put_int(c, "count", a->check[i].count);
		json_put_int(c, "bad", a->check[i].bad);
		json_object_array_add(checks, c);
	}
	json_put(o, "checks", checks);
	json_put(o, "findings", findings);
	json_put_int(o, "open_intents", a->open_intents);
	json_put_int(o, "unsealed", a->unsealed);
	for (int f = 0; f < SQL_FILES; f++) {
		head_text(&a->head[f], &b);
		json_put_text(o, names[f], buf_text(&b));
		buf_clear(&b);
	}
	json_text(&b, o);
	puts(buf_text(&b));
	buf_free(&b);
	json_object_put(o);
}

/* HASH@N */
static int parse_head(const char *text, struct verify_head *h)
{
	struct str rest = str_of(text), hash = str_cut(&rest, '@');
	char *end;

	if (hash.n != CRYPTO_HEX - 1 || !rest.p || rest.n == 0 || strspn(text, "0123456789abcdef") != hash.n)
		return -1;
	memcpy(h->hash, hash.p, hash.n);
	h->hash[hash.n] = 0;
	h->seq = strtoll(rest.p, &end, 10);
	return *end == 0 && h->seq >= 0 ? 0 : -1;
}

static int verify(struct audit *a, struct report *r)
{
	struct problem why = { 0 };
	int rc;

	a->found = print_found;
	a->step = print_step;
	a->ctx = r;
	r->progress = !r->json && isatty(STDERR_FILENO);
	if (r->json)
		r->findings = json_object_new_array();
	rc = audit_run(a, &why);
	if (r->progress)
		fputs("\r\033[K", stderr);
	if (r->json)
		print_json(a, r->findings);
	else if (rc == 0)
		print_table(a);
	if (rc < 0)
		ctl_problem(0, &why);
	return a->bad ? CTL_FAILED : rc < 0 ? CTL_NOT_FOUND : CTL_OK;
}

int ctl_verify(const struct ctl_args *args)
{
	static const struct { const char *option; enum sql_file file; } kept[] = { { "head", SQL_DIRECTORY }, { "ledger-head", SQL_LEDGER } };
	struct audit a = { .folder = args->words ? args->word[0] : NULL };
	struct report r = { .json = ctl_has(args, "json") };
	const struct place at = place_of(args);
	struct problem why = { 0 };
	struct conf *conf = NULL;
	int rc;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		const char *head = ctl_value(args, kept[i].option);

		if (head && parse_head(head, &a.kept[kept[i].file]) < 0)
			return ctl_fail(CTL_USAGE, "a head is HASH@N, as verify prints it, not `%s`", head);
	}
	if (!a.folder && (conf = place_conf(&at, &why)) == NULL)
		return ctl_problem(CTL_CONFIG, &why);
	if (!a.folder)
		a.folder = conf->data_dir;
	rc = verify(&a, &r);
	conf_free(conf);
	return rc;
}
