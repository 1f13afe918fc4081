/* PCRE2 for JSON Schema. Time is bounded by counting, not by a clock, so that the same input always ends the same way:
 * automatic callouts report each item of the pattern that is tried, and how far the subject was passed over since. No
 * JIT: it has its own stack and no count. From PCRE2 10.41 on pcre2_match keeps its frames on the heap; older ones put
 * 20 KB on the caller's stack. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "schema/ecma.h"
#include "schema/regex.h"

#define REGEX_OPTIONS                                                                                                  \
	(PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF |                      \
		PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP | PCRE2_AUTO_CALLOUT)

struct regex {
	pcre2_code *code;
};

struct regex_run {
	pcre2_match_context *context;
	pcre2_match_data *data;         /* room for the whole match only: captures are nobody's business here */
	uint64_t work;
	size_t at;                      /* where the subject stood at the last callout */
};

static pcre2_compile_context *compile_context(void)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);

	if (!c)
		log_fatal("out of memory for a regular expression");
	pcre2_set_parens_nest_limit(c, REGEX_NESTING_MAX);
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	return c;
}

struct regex *regex_new(struct str pattern, char *error, size_t size)
{
	struct buf text = BUF_MALLOC;
	pcre2_compile_context *context = NULL;
	struct regex *r = NULL;
	pcre2_code *code;
	const char *why;
	PCRE2_SIZE offset;
	int number;

	if (pattern.n > REGEX_PATTERN_MAX) {
		snprintf(error, size, "longer than %d bytes", REGEX_PATTERN_MAX);
		return NULL;
	}
	why = ecma_translate(&text, pattern);
	if (why) {
		snprintf(error, size, "%s", why);
		goto out;
	}
	context = compile_context();
	code = pcre2_compile((PCRE2_SPTR)buf_text(&text), text.len, REGEX_OPTIONS, &number, &offset, context);
	if (!code) {
		if (pcre2_get_error_message(number, (PCRE2_UCHAR *)error, size) < 0)
			snprintf(error, size, "malformed (%d)", number);
		goto out;
	}
	r = mem_alloc(sizeof(*r));
	r->code = code;
out:
	pcre2_compile_context_free(context);
	buf_free(&text);
	return r;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_code_free(r->code);
	free(r);
}

size_t regex_bytes(const struct regex *r)
{
	size_t n = 0;

	pcre2_pattern_info(r->code, PCRE2_INFO_SIZE, &n);
	return n;
}

/* A positive value makes the match fail at this point, a negative one ends it. */
static int count_work(pcre2_callout_block *block, void *ctx)
{
	struct regex_run *run = ctx;
	size_t at = block->current_position;

	run->work += 1 + (at > run->at ? at - run->at : run->at - at);
	run->at = at;
	return run->work > REGEX_WORK_MAX ? PCRE2_ERROR_CALLOUT : 0;
}

struct regex_run *regex_run_new(void)
{
	struct regex_run *run = mem_alloc(sizeof(*run));

	run->context = pcre2_match_context_create(NULL);
	run->data = pcre2_match_data_create(1, NULL);
	if (!run->context || !run->data)
		log_fatal("out of memory for a regular expression");
	pcre2_set_match_limit(run->context, REGEX_WORK_MAX);
	pcre2_set_heap_limit(run->context, REGEX_HEAP_KIB);
	pcre2_set_callout(run->context, count_work, run);
	return run;
}

void regex_run_free(struct regex_run *run)
{
	if (!run)
		return;
	pcre2_match_data_free(run->data);
	pcre2_match_context_free(run->context);
	free(run);
}

int regex_match(const struct regex *r, struct regex_run *run, struct str s, uint64_t *work)
{
	int found;

	run->work = 0;
	run->at = 0;
	found = pcre2_match(r->code, (PCRE2_SPTR)s.p, s.n, 0, 0, run->data, run->context);
	*work += run->work + s.n;
	if (found == PCRE2_ERROR_NOMATCH)
		return 0;
	return found >= 0 ? 1 : -1;
}
