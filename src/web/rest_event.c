/* What happened to rows (spec section 4.1): history, contracts by digest, the event log and the check of its chain.
 * Only reads. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/log.h"
#include "directory/row.h"
#include "loop/child.h"
#include "store/db.h"
#include "web/emit.h"
#include "web/rest.h"

enum {
	EVENTS_DEFAULT = 100,           /* events of one answer, unless limit says otherwise */
	EVENTS_BYTES_MAX = 4 << 20,     /* an answer that has grown so long ends early, with a cursor */
	DIGEST_DIGITS = CRYPTO_HEX - 1,
	VERIFY_MS = 120 * 1000,
	VERIFY_BYTES_MAX = 64 * 1024,
};

/* Columns of SQL_EVENT_RECORDS, SQL_EVENT_NEWEST and SQL_EVENT_OF_KEY. */
enum event_column {
	EVENT_SEQ, EVENT_ID, EVENT_TIME, EVENT_ACTION, EVENT_OPERATION, EVENT_KEY, EVENT_ACTOR, EVENT_TRACE,
	EVENT_BEFORE, EVENT_AFTER, EVENT_CONTRACT_BEFORE, EVENT_CONTRACT_AFTER, EVENT_PREV, EVENT_HASH, EVENT_N
};

static const char *const event_names[EVENT_N] = {
	"event", "id", "time", "action", "operation", "key", "actor", "trace",
	"before", "after", "contract_before", "contract_after", "prev", "hash",
};

static void unreadable(struct rest *r)
{
	struct problem why = { 0 };

	problem_unavailable(&why, "directory.db cannot be read now");
	router_fail(r, &why);
}

/* The facts of an event but for the row's images. */
static void emit_facts(struct buf *out, struct db_stmt *s)
{
	emit_int(out, event_names[EVENT_SEQ], db_int(s, EVENT_SEQ));
	for (int c = EVENT_ID; c < EVENT_N; c++) {
		if (c != EVENT_BEFORE && c != EVENT_AFTER)
			emit_str(out, event_names[c], db_text(s, c));
	}
}

void rest_event_list(struct rest *r)
{
	struct buf out = BUF_ARENA(r->arena);
	int64_t since, newest, limit, count = 0, last;
	struct db_stmt *s;
	int got;

	if (router_number(r, "since", 0, INT64_MAX, 0, &since) < 0 || router_number(r, "newest", 1, 1, 0, &newest) < 0 ||
	    router_number(r, "limit", 1, REST_ROWS_MAX, EVENTS_DEFAULT, &limit) < 0)
		return;
	last = since;
	s = db_start(directory_db(r->service->directory), newest ? SQL_EVENT_NEWEST : SQL_EVENT_RECORDS, "ii", since,
		     limit + 1);
	emit_begin(&out, NULL, '{');
	emit_begin(&out, "events", '[');
	while ((got = db_step(s)) > 0 && count < limit && out.len < EVENTS_BYTES_MAX) {
		last = db_int(s, EVENT_SEQ);
		emit_begin(&out, NULL, '{');
		emit_facts(&out, s);
		emit_raw(&out, "before", db_text(s, EVENT_BEFORE));     /* canonical JSON as stored */
		emit_raw(&out, "after", db_text(s, EVENT_AFTER));
		emit_end(&out, '}');
		count++;
	}
	db_end(s);
	if (got < 0) {
		unreadable(r);
		return;
	}
	emit_end(&out, ']');
	emit_int(&out, "count", count);
	if (got > 0 && !newest)
		emit_int(&out, "next_since", last);
	else
		emit_text(&out, "next_since", NULL);
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

/* A stored image as an object; NULL when there was no row. */
static struct json_object *image(struct rest *r, struct str text)
{
	struct json_object *o = NULL;
	struct problem why = { 0 };

	if (text.p && json_parse(r->arena, text, &o, &why) < 0)
		log_error("an event holds an image that is no JSON: %s", why.detail);
	return o;
}

static void emit_diff(struct rest *r, struct buf *out, struct str before, struct str after)
{
	struct json_object *old = image(r, before), *new = image(r, after);

	emit_begin(out, "diff", '[');
	for (int c = 0; c < ROW_N; c++) {
		struct buf a = BUF_ARENA(r->arena), b = BUF_ARENA(r->arena);

		json_text(&a, json_get(old, row_columns[c].name));
		json_text(&b, json_get(new, row_columns[c].name));
		if (str_eq(buf_str(&a), buf_str(&b)))
			continue;
		emit_begin(out, NULL, '{');
		emit_text(out, "field", row_columns[c].name);
		emit_raw(out, "before", buf_str(&a));
		emit_raw(out, "after", buf_str(&b));
		emit_end(out, '}');
	}
	emit_end(out, ']');
}

void rest_event_history(struct rest *r)
{
	struct buf out = BUF_ARENA(r->arena);
	int64_t before, limit, count = 0, last = 0;
	struct entry *e = NULL;
	struct problem why = { 0 };
	struct db_stmt *s;
	int got;

	if (router_number(r, "cursor", 1, INT64_MAX, INT64_MAX, &before) < 0 ||
	    router_number(r, "limit", 1, REST_ROWS_MAX, EVENTS_DEFAULT, &limit) < 0)
		return;
	s = db_start(directory_db(r->service->directory), SQL_EVENT_OF_KEY, "sii", r->arg[0], before, limit + 1);
	emit_begin(&out, NULL, '{');
	emit_str(&out, "key", r->arg[0]);
	emit_begin(&out, "events", '[');
	while ((got = db_step(s)) > 0 && count < limit && out.len < EVENTS_BYTES_MAX) {
		last = db_int(s, EVENT_SEQ);
		emit_begin(&out, NULL, '{');
		emit_facts(&out, s);
		emit_diff(r, &out, db_text(s, EVENT_BEFORE), db_text(s, EVENT_AFTER));
		emit_end(&out, '}');
		count++;
	}
	db_end(s);
	if (got < 0 || (!count && directory_get(r->service->directory, r->arena, r->arg[0], &e, &why) < 0)) {
		unreadable(r);
		return;
	}
	if (!count && !e && before == INT64_MAX) {
		router_not_found(r, "there never was such a row");
		return;
	}
	emit_end(&out, ']');
	emit_int(&out, "count", count);
	if (got > 0)
		emit_int(&out, "cursor", last);
	else
		emit_text(&out, "cursor", NULL);
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

/* Contracts by digest */

/* True when the digest is that of a row that the caller reads, as the row is now. */
static bool is_current(struct rest *r, struct str key, struct str digest)
{
	struct entry *e = NULL;
	struct problem why = { 0 };

	return key.p && directory_get(r->service->directory, r->arena, key, &e, &why) == 0 && e &&
	       str_is(digest, e->digest) && caller_reads(&r->caller, e->key, e->category, e->enabled);
}

static bool is_digest(struct str s)
{
	return s.n == DIGEST_DIGITS && strspn(s.p, "0123456789abcdef") >= s.n;
}

/* The stored contract and image, copied; 0 none, -1 unreadable. */
static int stored_contract(struct rest *r, struct str digest, struct str *contract, struct str *row, struct str *time)
{
	struct db_stmt *s = db_start(directory_db(r->service->directory), SQL_CONTRACT_GET, "s", digest);
	int got = db_step(s);

	if (got > 0) {
		*contract = arena_copy(r->arena, db_text(s, 0));
		*row = arena_copy(r->arena, db_text(s, 1));
		*time = arena_copy(r->arena, db_text(s, 2));
	}
	db_end(s);
	return got;
}

void rest_event_contract(struct rest *r)
{
	struct str digest = str_of(arena_str(r->arena, r->arg[0])), contract = { 0 }, row = { 0 }, time = { 0 }, key;
	struct buf out = BUF_ARENA(r->arena);
	struct problem why = { 0 };
	bool owner = r->caller.kind == CALLER_OWNER, current = false;
	int got = is_digest(digest) ? stored_contract(r, digest, &contract, &row, &time) : 0;

	if (got < 0) {
		unreadable(r);
		return;
	}
	if (got > 0) {
		key = json_str(json_get(image(r, contract), "id"));
		current = is_current(r, key, digest);
	}
	if (!got || (!owner && !current)) {
		problem_set(&why, 404, "contract_not_found");
		router_fail(r, &why);
		return;
	}
	emit_begin(&out, NULL, '{');
	emit_str(&out, "digest", digest);
	emit_bool(&out, "current", current);
	emit_str(&out, "first_seen", time);
	emit_raw(&out, "contract", contract);
	if (owner)
		emit_raw(&out, "row", row);     /* as it was when it first had this contract */
	emit_end(&out, '}');
	response_text(r->res, 200, "application/json", emit_done(&out));
}

/* The check of the chain, in a child: it reads the whole log, which would hold up all other requests of this worker. */

/* One at a time in the whole service. Not a lock on the database's own files: closing one of those would drop
 * SQLite's locks. -1 after answering. */
static int verify_lock(struct rest *r)
{
	int fd = open(r->service->conf->data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct problem why = { 0 };

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd >= 0) {
		close(fd);
		problem_set(&why, 429, "verify_running");
	} else {
		log_error("%s: %s", r->service->conf->data_dir, strerror(errno));
		problem_set(&why, 500, "verify_failed");
	}
	router_fail(r, &why);
	return -1;
}

void rest_event_verify(struct rest *r)
{
	char mode[] = "--verify-events", self[] = "/proc/self/exe", config[] = "-c", option[] = "-o";
	char *data = arena_printf(r->arena, "data_dir=%s", r->service->conf->data_dir);
	char *argv[] = { self, mode, config, r->service->conf->path, option, data, NULL };
	char *envp[] = { NULL };
	struct buf out = BUF_ARENA(r->arena);
	struct problem why = { 0 };
	struct child_program self_check = { argv, envp };
	struct child_limits limits = { .out = &out, .out_max = VERIFY_BYTES_MAX, .timeout_ms = VERIFY_MS };
	struct child_result child;
	int lock = verify_lock(r);

	if (lock < 0)
		return;
	child = child_run(&limits, child_spawn, &self_check);
	close(lock);
	if (child.status >= 0 && !child.timed_out && !child.cut && WIFEXITED(child.status) &&
	    WEXITSTATUS(child.status) == 0 && json_check(buf_str(&out), &why) == 0) {
		response_text(r->res, 200, "application/json", buf_str(&out));
		return;
	}
	problem_set(&why, 500, "verify_failed");
	if (child.timed_out)
		problem_detail(&why, "it took too long");
	router_fail(r, &why);
}
