/* SQLite behind a short vocabulary: open, start, step, read a column, end; begin and commit for the one process that
 * writes. This file knows how SQLite fails; it knows no table and no statement (sql.c) and nothing of batches
 * (daemon/writer.c). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/db.h"

enum {
	DB_BUSY_READ_MS = 100,          /* a reader meets a lock only while the WAL is recovered */
	DB_BUSY_WRITE_MS = 1000,        /* somebody's sqlite3(1) in a transaction: fail, tell, try again later */
	DB_BUSY_CHECKPOINT_MS = 100,    /* how long a checkpoint that has to wait for readers may hold up writes */
	DB_RETRIES = 20,                /* of a reader that came while the WAL is recovered, DB_RETRY_MS apart */
	DB_RETRY_MS = 5,
	DB_LOG_US = 10 * 1000 * 1000,   /* the same failure is logged once in this time */
	DB_WAL_LONG = 4,                /* times the limit: then a checkpoint waits for readers */
	DB_COPY_PAGES = 256,            /* copied between two reports of how far it is */
};

enum control {
	CONTROL_BEGIN, CONTROL_BEGIN_READ, CONTROL_COMMIT, CONTROL_ROLLBACK, CONTROL_SAVEPOINT, CONTROL_RELEASE,
	CONTROL_BACK, CONTROL_N
};

static const char *const control_text[CONTROL_N] = {
	"BEGIN IMMEDIATE", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT w", "RELEASE w", "ROLLBACK TO w",
};

struct db_stmt {
	struct db *d;
	sqlite3_stmt *s;                /* NULL: could not be prepared */
	enum sql_id id;
	bool busy, cached, stepped;
	bool misused;                   /* the number of values is not that of its parameters */
};

struct db {
	sqlite3 *h;
	char *path;
	enum sql_file file;
	enum db_mode mode;
	int lock;                       /* descriptor of <path>.lock; -1 for a reader */
	pid_t client;
	int error;                      /* extended code of the last failure */
	char text[256];                 /* and SQLite's words for it */
	int logged;                     /* last failure that was logged, and when: a full disk would fill the log too */
	int64_t logged_us;
	int64_t wal_pages, checkpoint_at;
	sqlite3_stmt *control[CONTROL_N];
	fts5_tokenizer words;           /* of the full-text tables */
	Fts5Tokenizer *tokenizer;       /* NULL: not made yet */
	struct db_stmt stmt[SQL_N];
};

/* Failures */

static const struct { int code; const char *kind; } kinds[] = {
	{ SQLITE_CONSTRAINT, "constraint" },
	{ SQLITE_FULL, "full" },
	{ SQLITE_IOERR, "io" },
	{ SQLITE_BUSY, "busy" },
	{ SQLITE_LOCKED, "busy" },
	{ SQLITE_READONLY, "readonly" },
	{ SQLITE_CORRUPT, "corrupt" },
	{ SQLITE_NOTADB, "corrupt" },
};

const char *db_error_kind(struct db *d)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((d->error & 0xff) == kinds[i].code)
			return kinds[i].kind;
	return "other";
}

const char *db_error_text(struct db *d)
{
	return d->text;
}

/* Keeps why and logs it, except a violated constraint: that is an answer. */
static int failed_with(struct db *d, const char *what, int error, const char *text)
{
	d->error = error;
	snprintf(d->text, sizeof(d->text), "%s", text);
	if ((d->error & 0xff) == SQLITE_CONSTRAINT)
		return -1;
	if (d->error != d->logged || clock_mono_us() > d->logged_us + DB_LOG_US) {
		log_error("%s: %s: %s (%s, %d)", d->path, what, d->text, db_error_kind(d), d->error);
		d->logged = d->error;
		d->logged_us = clock_mono_us();
	}
	return -1;
}

static int failed(struct db *d, const char *what)
{
	return failed_with(d, what, sqlite3_extended_errcode(d->h), sqlite3_errmsg(d->h));
}

/* What a reader may meet while the writer opens, recovers or leaves the file; it is over in a moment. */
static bool transient(const struct db *d, int rc)
{
	if (d->mode != DB_READ)
		return false;
	return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_PROTOCOL || rc == SQLITE_READONLY_RECOVERY ||
		rc == SQLITE_READONLY_CANTINIT || rc == SQLITE_READONLY_CANTLOCK;
}

static void wait_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = DB_RETRY_MS * 1000000L }, NULL);
}

/* SQL functions */

static void sql_sha256_hex(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	char hex[CRYPTO_HEX];
	const char *p = sqlite3_value_blob(argv[0]);

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	crypto_sha256_hex(str_make(p ? p : "", (size_t)sqlite3_value_bytes(argv[0])), hex);
	sqlite3_result_text(c, hex, -1, SQLITE_TRANSIENT);
}

static struct str value_text(sqlite3_value *v)
{
	const char *p = (const char *)sqlite3_value_text(v);

	return str_make(p ? p : "", (size_t)sqlite3_value_bytes(v));
}

static struct json_object *value_json(sqlite3_value *v)
{
	switch (sqlite3_value_type(v)) {
	case SQLITE_NULL:
		return NULL;
	case SQLITE_INTEGER:
		return json_object_new_int64(sqlite3_value_int64(v));
	case SQLITE_FLOAT:
		return json_object_new_double(sqlite3_value_double(v));
	default:
		return json_new_str(value_text(v));
	}
}

static void sql_chain_hash(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	struct buf b = BUF_MALLOC;
	struct json_object *record;
	char hex[CRYPTO_HEX];

	if (argc < 3 || argc % 2 == 0) {
		sqlite3_result_error(c, "chain_hash: names and values do not pair", -1);
		return;
	}
	record = json_object_new_object();
	for (int i = 1; i < argc; i += 2)
		json_put(record, (const char *)sqlite3_value_text(argv[i]), value_json(argv[i + 1]));
	buf_putstr(&b, value_text(argv[0]));
	json_canonical(&b, record);
	crypto_sha256_hex(buf_str(&b), hex);
	sqlite3_result_text(c, hex, -1, SQLITE_TRANSIENT);
	json_object_put(record);
	buf_free(&b);
}

static void sql_client_pid(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	const struct db *d = sqlite3_user_data(c);

	(void)argc, (void)argv;
	sqlite3_result_int64(c, d->client);
}

static const struct {
	const char *name;
	int args, flags;
	void (*call)(sqlite3_context *, int, sqlite3_value **);
} functions[] = {
	{ "sha256_hex", 1, SQLITE_DETERMINISTIC, sql_sha256_hex },
	{ "chain_hash", -1, SQLITE_DETERMINISTIC, sql_chain_hash },
	{ "client_pid", 0, 0, sql_client_pid },
};

static int register_functions(struct db *d)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (sqlite3_create_function(d->h, functions[i].name, functions[i].args,
			SQLITE_UTF8 | SQLITE_DIRECTONLY | functions[i].flags, d, functions[i].call, NULL,
			NULL) != SQLITE_OK)
			return -1;
	return 0;
}

/* Opening */

/* "<path><suffix>: what is missing", or nothing when the rights are there. */
static bool lacks(char *out, size_t n, const char *path, const char *suffix, int right)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s%s", path, suffix) >= (int)sizeof(name))
		return false;
	if (faccessat(AT_FDCWD, name, right, AT_EACCESS) == 0)
		return false;
	if (errno == ENOENT && *suffix && right == R_OK)
		snprintf(out, n, "%.300s does not exist: it is there only while the writer has the file open", name);
	else if (errno == ENOENT && *suffix)
		return false;
	else if (errno == ENOENT)
		snprintf(out, n, "%.300s: %s", name, strerror(errno));
	else
		snprintf(out, n, "%.300s: no right to %s it: %s", name, right == R_OK ? "read" : "write",
			strerror(errno));
	return true;
}

static void explain(const struct db *d, struct problem *why)
{
	static const char *const suffix[] = { "", "-wal", "-shm" };
	char text[400], folder[PATH_MAX];
	int right = d->mode == DB_READ ? R_OK : W_OK;
	char *slash;

	for (size_t i = 0; i < 3; i++)
		if (lacks(text, sizeof(text), d->path, suffix[i], right)) {
			problem_unavailable(why, "%s", text);
			return;
		}
	snprintf(folder, sizeof(folder), "%s", d->path);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	if (d->mode == DB_WRITE && lacks(text, sizeof(text), slash ? folder : ".", "", W_OK))
		problem_unavailable(why, "%s", text);
	else
		problem_unavailable(why, "%.300s: %s", d->path, d->h ? sqlite3_errmsg(d->h) : "out of memory");
}

/* One writer, whoever starts it: a second one is told who the first is. */
int db_lock(const char *path, struct problem *why)
{
	char name[PATH_MAX], holder[32] = "";
	ssize_t n;
	int fd;

	if (snprintf(name, sizeof(name), "%s.lock", path) >= (int)sizeof(name))
		return problem_unavailable(why, "%.300s: %s", path, strerror(ENAMETOOLONG));
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return problem_unavailable(why, "%.300s: %s", name, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		n = pread(fd, holder, sizeof(holder) - 1, 0);
		holder[n > 0 ? strspn(holder, "0123456789") : 0] = 0;
		close(fd);
		problem_unavailable(why, "%.300s is open for writing by process %s", path,
			*holder ? holder : "(unknown)");
		problem_fix(why, "stop the service, or send the change to it");
		return -1;
	}
	n = snprintf(holder, sizeof(holder), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, holder, (size_t)n, 0) != n)
		log_debug("%s: %s", name, strerror(errno));     /* the number is for people; the lock is what counts */
	return fd;
}

static int on_commit(void *arg, sqlite3 *h, const char *name, int pages)
{
	struct db *d = arg;

	(void)h, (void)name;
	if (pages < d->wal_pages)
		d->checkpoint_at = 0;   /* started anew */
	d->wal_pages = pages;
	return SQLITE_OK;
}

static const char reader_pragmas[] =
	"PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0";
/* recursive_triggers: REPLACE cannot pass the triggers that refuse DELETE. journal_size_limit: a WAL that grew under
 * long readers shrinks again. */
static const char writer_pragmas[] =
	"PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 33554432; PRAGMA recursive_triggers = ON;"
	"PRAGMA trusted_schema = OFF;"
	"PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cache_spill = OFF";

static int set_cache(struct db *d)
{
	static const int kb[2][SQL_FILES] = { { 2048, 1024 }, { 4096, 16384 } };
	char text[64];

	snprintf(text, sizeof(text), "PRAGMA cache_size = -%d", kb[d->mode == DB_WRITE][d->file]);
	return sqlite3_exec(d->h, text, NULL, NULL, NULL);
}

static int is_wal(void *arg, int n, char **value, char **name)
{
	(void)n, (void)name;
	*(bool *)arg = value[0] && strcmp(value[0], "wal") == 0;
	return 0;
}

static int setup_writer(struct db *d, const char *synchronous)
{
	bool normal = strcmp(synchronous, "NORMAL") == 0, wal = false;
	const char *sync = normal ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL";
	int on = 1;

	if (sqlite3_file_control(d->h, "main", SQLITE_FCNTL_PERSIST_WAL, &on) != SQLITE_OK ||
	    sqlite3_exec(d->h, "PRAGMA journal_mode = WAL", is_wal, &wal, NULL) != SQLITE_OK || !wal)
		return -1;
	if (sqlite3_exec(d->h, sync, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(d->h, writer_pragmas, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	sqlite3_wal_hook(d->h, on_commit, d);
	return 0;
}

static int setup(struct db *d, const char *synchronous)
{
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	if (register_functions(d) < 0 || set_cache(d) != SQLITE_OK)
		return -1;
	if (d->mode == DB_WRITE)
		return setup_writer(d, synchronous);
	sqlite3_db_config(d->h, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	if (sqlite3_exec(d->h, reader_pragmas, NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	/* The first read, so that a file that cannot be read is told now. */
	for (int i = 0;; i++) {
		int rc = sqlite3_exec(d->h, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);

		if (rc == SQLITE_OK || !transient(d, sqlite3_extended_errcode(d->h)) || i == DB_RETRIES)
			return rc == SQLITE_OK ? 0 : -1;
		wait_a_moment();
	}
}

/* Before SQLite is first used in the process: it is called from one thread only, so it needs no locks, and nobody asks
 * it how much memory it holds. */
static void configure(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	if (sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) != SQLITE_OK ||
	    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK)
		log_fatal("SQLite was used before it was configured");
}

struct db *db_open(const char *path, enum sql_file file, enum db_mode mode, const char *synchronous,
	struct problem *why)
{
	struct db *d = mem_alloc(sizeof(*d));
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;

	configure();
	d->path = mem_strdup(path);
	d->file = file;
	d->mode = mode;
	d->lock = -1;
	if (mode == DB_WRITE && (d->lock = db_lock(d->path, why)) < 0)
		goto out;
	flags |= mode == DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	if (sqlite3_open_v2(path, &d->h, flags, NULL) == SQLITE_OK) {
		/* Before anything is prepared: preparing reads the schema and may meet a lock. */
		sqlite3_busy_timeout(d->h, mode == DB_READ ? DB_BUSY_READ_MS : DB_BUSY_WRITE_MS);
		if (setup(d, synchronous) == 0)
			return d;
	}
	explain(d, why);
out:
	db_close(d);
	return NULL;
}

void db_close(struct db *d)
{
	if (!d)
		return;
	if (d->tokenizer)
		d->words.xDelete(d->tokenizer);
	for (size_t i = 0; i < CONTROL_N; i++)
		sqlite3_finalize(d->control[i]);
	for (size_t i = 0; i < SQL_N; i++)
		sqlite3_finalize(d->stmt[i].s);
	if (sqlite3_close(d->h) != SQLITE_OK)
		log_fatal("%s: closed while a statement is in use", d->path);
	if (d->lock >= 0)
		close(d->lock);
	free(d->path);
	free(d);
}

/* Statements */

static sqlite3_stmt *prepare(struct db *d, const struct sql *q)
{
	sqlite3_stmt *s = NULL;
	int rc;

	for (int i = 0;; i++) {
		rc = sqlite3_prepare_v3(d->h, q->text, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL);
		if (rc == SQLITE_OK)
			return s;
		if (i == DB_RETRIES || (!transient(d, rc) && (rc & 0xff) != SQLITE_SCHEMA))
			break;
		wait_a_moment();
	}
	failed(d, q->name);
	return NULL;
}

/* The cached statement, or a new one when that is in use. */
static struct db_stmt *take(struct db *d, enum sql_id id)
{
	const struct sql *q = sql_get(id);
	struct db_stmt *s = &d->stmt[id];

	if (q->file != d->file)
		log_fatal("%s: %s belongs to the other file", d->path, q->name);
	if (s->busy)
		s = mem_alloc(sizeof(*s));
	else
		s->cached = true;
	s->d = d;
	s->id = id;
	s->busy = true;
	s->stepped = false;
	if (!s->s)
		s->s = prepare(d, q);
	return s;
}

static void bind_text(struct db_stmt *s, int i, struct str v)
{
	if (v.p)
		sqlite3_bind_text64(s->s, i, v.p, v.n, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_null(s->s, i);
}

static void bind_value(struct db_stmt *s, int i, const struct wire_value *v)
{
	switch (v->type) {
	case 'i':
		sqlite3_bind_int64(s->s, i, v->i);
		break;
	case 'd':
		sqlite3_bind_double(s->s, i, v->d);
		break;
	case 's':
		bind_text(s, i, v->s);
		break;
	case 'b':
		sqlite3_bind_blob64(s->s, i, v->s.p ? v->s.p : "", v->s.n, SQLITE_STATIC);
		break;
	case 'n':
		sqlite3_bind_null(s->s, i);
		break;
	default:
		log_fatal("%s: no type '%c' of a value", sql_get(s->id)->name, v->type);
	}
}

struct db_stmt *db_start_values(struct db *d, enum sql_id id, const struct wire_value *value, unsigned n)
{
	struct db_stmt *s = take(d, id);

	s->misused = s->s && (unsigned)sqlite3_bind_parameter_count(s->s) != n;
	for (unsigned i = 0; s->s && !s->misused && i < n; i++)
		bind_value(s, (int)i + 1, &value[i]);
	return s;
}

static struct db_stmt *start_list(struct db *d, enum sql_id id, const char *types, va_list ap)
{
	struct wire_value value[WIRE_VALUES_MAX];
	unsigned n = wire_values(value, types, ap);
	struct db_stmt *s = db_start_values(d, id, value, n);

	if (s->misused)
		log_fatal("%s: %u values for %d parameters", sql_get(id)->name, n, sqlite3_bind_parameter_count(s->s));
	return s;
}

struct db_stmt *db_start(struct db *d, enum sql_id id, const char *types, ...)
{
	struct db_stmt *s;
	va_list ap;

	va_start(ap, types);
	s = start_list(d, id, types, ap);
	va_end(ap);
	return s;
}

int db_step(struct db_stmt *s)
{
	int rc;

	if (s->misused) {
		s->d->error = SQLITE_MISUSE;
		snprintf(s->d->text, sizeof(s->d->text), "wrong number of values for %s", sql_get(s->id)->name);
	}
	if (!s->s || s->misused)
		return -1;
	for (int i = 0;; i++) {
		rc = sqlite3_step(s->s);
		if (rc == SQLITE_ROW || rc == SQLITE_DONE)
			break;
		if (s->stepped || i == DB_RETRIES || !transient(s->d, rc))
			return failed(s->d, sql_get(s->id)->name);
		sqlite3_reset(s->s);
		wait_a_moment();
	}
	s->stepped = true;
	return rc == SQLITE_ROW ? 1 : 0;
}

int64_t db_int(struct db_stmt *s, int column)
{
	return sqlite3_column_int64(s->s, column);
}

struct str db_text(struct db_stmt *s, int column)
{
	const char *p = (const char *)sqlite3_column_text(s->s, column);

	return str_make(p, p ? (size_t)sqlite3_column_bytes(s->s, column) : 0);
}

char db_type(struct db_stmt *s, int column)
{
	switch (sqlite3_column_type(s->s, column)) {
	case SQLITE_INTEGER: return 'i';
	case SQLITE_FLOAT: return 'r';
	case SQLITE_TEXT: return 't';
	case SQLITE_BLOB: return 'b';
	default: return 'n';
	}
}

bool db_is_null(struct db_stmt *s, int column)
{
	return sqlite3_column_type(s->s, column) == SQLITE_NULL;
}

void db_end(struct db_stmt *s)
{
	if (!s)
		return;
	if (!s->cached) {
		sqlite3_finalize(s->s);
		free(s);
		return;
	}
	if (s->s) {     /* else it could not be prepared */
		sqlite3_reset(s->s);
		sqlite3_clear_bindings(s->s);
	}
	s->busy = false;
}

int db_one_int(struct db *d, enum sql_id id, int64_t *out, bool *found, const char *types, ...)
{
	struct db_stmt *s;
	va_list ap;
	int rc;

	va_start(ap, types);
	s = start_list(d, id, types, ap);
	va_end(ap);
	rc = db_step(s);
	*found = rc == 1;
	*out = rc == 1 ? db_int(s, 0) : 0;
	db_end(s);
	return rc < 0 ? -1 : 0;
}

int db_inspect(struct db *d, enum sql_id id, int *parameters, bool *readonly)
{
	struct db_stmt *s = take(d, id);
	int rc = s->s ? 0 : -1;

	if (s->s) {
		*parameters = sqlite3_bind_parameter_count(s->s);
		*readonly = sqlite3_stmt_readonly(s->s) != 0;
	}
	db_end(s);
	return rc;
}

/* Words */

static fts5_api *full_text(struct db *d)
{
	fts5_api *api = NULL;
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(d->h, "SELECT fts5(?1)", -1, &s, NULL) == SQLITE_OK) {
		sqlite3_bind_pointer(s, 1, &api, "fts5_api_ptr", NULL);
		sqlite3_step(s);
	}
	sqlite3_finalize(s);
	return api;
}

/* The one that the migrations name in `tokenize = …`. */
static int make_tokenizer(struct db *d)
{
	const char *arg[] = { "unicode61", "remove_diacritics", "2" };
	fts5_api *api = full_text(d);
	void *ctx = NULL;

	if (!api || api->xFindTokenizer(api, "porter", &ctx, &d->words) != SQLITE_OK ||
		d->words.xCreate(ctx, arg, 3, &d->tokenizer) != SQLITE_OK) {
		d->tokenizer = NULL;
		return failed(d, "tokenizer");
	}
	return 0;
}

struct word_sink {
	struct str text;
	void (*fn)(void *ctx, struct str word, struct str from);
	void *ctx;
};

static int take_word(void *p, int flags, const char *word, int n, int start, int end)
{
	const struct word_sink *w = p;

	(void)flags;
	w->fn(w->ctx, str_make(word, (size_t)n), str_make(w->text.p + start, (size_t)(end - start)));
	return SQLITE_OK;
}

int db_words(struct db *d, struct str text, void (*fn)(void *ctx, struct str word, struct str from), void *ctx)
{
	struct word_sink sink = { text, fn, ctx };

	if (!d->tokenizer && make_tokenizer(d) < 0)
		return -1;
	if (!text.n)
		return 0;
	return d->words.xTokenize(d->tokenizer, &sink, FTS5_TOKENIZE_QUERY, text.p, (int)text.n, take_word) == SQLITE_OK
		? 0
		: failed(d, "tokenizer");
}

/* Transactions */

static int control(struct db *d, enum control c)
{
	sqlite3_stmt **s = &d->control[c];
	int rc;

	if (!*s && sqlite3_prepare_v3(d->h, control_text[c], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
		return failed(d, control_text[c]);
	rc = sqlite3_step(*s);
	if (rc != SQLITE_DONE)
		failed(d, control_text[c]);
	sqlite3_reset(*s);
	return rc == SQLITE_DONE ? 0 : -1;
}

int db_begin_read(struct db *d)
{
	return control(d, CONTROL_BEGIN_READ);
}

void db_end_read(struct db *d)
{
	if (!sqlite3_get_autocommit(d->h))
		control(d, CONTROL_COMMIT);
}

int db_begin(struct db *d)
{
	return control(d, CONTROL_BEGIN);
}

int db_commit(struct db *d)
{
	int moved = 0;

	/* The open file takes the commit, and nobody would ever find it again. */
	sqlite3_file_control(d->h, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (moved)
		return failed_with(d, control_text[CONTROL_COMMIT], SQLITE_READONLY_DBMOVED,
			"the file was removed or replaced while it is in use");
	return control(d, CONTROL_COMMIT);
}

void db_rollback(struct db *d)
{
	if (!sqlite3_get_autocommit(d->h))
		control(d, CONTROL_ROLLBACK);
}

int db_savepoint(struct db *d)
{
	return control(d, CONTROL_SAVEPOINT);
}

int db_release(struct db *d)
{
	return control(d, CONTROL_RELEASE);
}

int db_undo(struct db *d)
{
	return control(d, CONTROL_BACK) < 0 ? -1 : control(d, CONTROL_RELEASE);
}

int db_exec(struct db *d, const char *text)
{
	return sqlite3_exec(d->h, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(d, "a migration");
}

bool db_in_transaction(struct db *d)
{
	return !sqlite3_get_autocommit(d->h);
}

int64_t db_changes(struct db *d)
{
	return sqlite3_changes64(d->h);
}

int64_t db_total_changes(struct db *d)
{
	return sqlite3_total_changes64(d->h);
}

void db_set_client(struct db *d, pid_t pid)
{
	d->client = pid;
}

static int read_int(void *arg, int n, char **value, char **name)
{
	(void)n, (void)name;
	*(int *)arg = value[0] ? atoi(value[0]) : -1;
	return 0;
}

int db_user_version(struct db *d)
{
	int version = -1;

	if (sqlite3_exec(d->h, "PRAGMA user_version", read_int, &version, NULL) != SQLITE_OK)
		return failed(d, "PRAGMA user_version");
	return version;
}

int db_set_user_version(struct db *d, int version)
{
	char text[64];

	snprintf(text, sizeof(text), "PRAGMA user_version = %d", version);
	return db_exec(d, text);
}

/* Checkpoints */

int64_t db_wal_pages(struct db *d)
{
	return d->wal_pages;
}

void db_checkpoint(struct db *d, int64_t wal_pages_limit)
{
	bool wait = d->wal_pages > wal_pages_limit * DB_WAL_LONG;
	int mode = wait ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, rc;

	if (d->wal_pages <= wal_pages_limit || d->wal_pages < d->checkpoint_at)
		return;
	/* A passive one copies what no reader needs and never waits; the next write starts the WAL anew when nobody
	 * reads from it at that moment. With readers always there that moment may never come, hence the other kind. Not
	 * TRUNCATE: writing over an existing WAL costs half of extending it. */
	sqlite3_busy_timeout(d->h, DB_BUSY_CHECKPOINT_MS);
	rc = sqlite3_wal_checkpoint_v2(d->h, NULL, mode, NULL, NULL);
	if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
		failed(d, "checkpoint");
	sqlite3_busy_timeout(d->h, DB_BUSY_WRITE_MS);
	d->checkpoint_at = d->wal_pages + wal_pages_limit;
}

/* Dumps */

enum { DUMP_STEPS = 100000 };           /* between two looks at the count */

struct dump { const struct db_dump *d; sqlite3 *h; int64_t steps; bool inserting; };

static int dump_progress(void *ctx)
{
	struct dump *p = ctx;

	p->steps += DUMP_STEPS;
	return p->steps > DB_DUMP_STEPS_MAX;
}

static bool is_text_function(const char *name)
{
	return strcasecmp(name, "replace") == 0 || strcasecmp(name, "char") == 0 || strcasecmp(name, "unistr") == 0;
}

static int dump_authorizer(void *ctx, int action, const char *a, const char *b, const char *database, const char *trigger)
{
	const struct dump *p = ctx;
	const char *table = p->d->table;
	bool main_file = !database || strcmp(database, "main") == 0;

	if (!main_file || trigger)
		return SQLITE_DENY;
	switch (action) {
	case SQLITE_CREATE_TABLE:
		return strcmp(a, table) == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_INSERT:
		return strcmp(a, table) == 0 || (!p->inserting && strcmp(a, "sqlite_master") == 0) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_READ:
	case SQLITE_UPDATE:             /* of the schema, by CREATE TABLE */
		return !p->inserting && (strcmp(a, "sqlite_master") == 0 || action == SQLITE_READ) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_CREATE_INDEX:       /* the one of PRIMARY KEY and UNIQUE */
		return strncmp(a, "sqlite_autoindex_", 17) == 0 ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_SELECT:             /* several VALUES */
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_text_function(b) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

/* Length of the statement at the start of s, with its ";". */
static size_t statement_length(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], close = c == '[' ? ']' : c;

		if (c == ';')
			return i + 1;
		if (c == '-' && i + 1 < s.n && s.p[i + 1] == '-') {
			while (i + 1 < s.n && s.p[i + 1] != '\n')
				i++;
		} else if (c == '/' && i + 1 < s.n && s.p[i + 1] == '*') {
			long end = str_find(str_skip(s, i + 2), str_of("*/"));

			i = end < 0 ? s.n : i + (size_t)end + 3;
		} else if (strchr("'\"`[", c) && c) {
			for (i++; i < s.n && s.p[i] != close; i++)
				;
		}
	}
	return s.n;
}

static bool is_frame(struct str statement)
{
	static const char *const words[] = { "PRAGMA", "BEGIN", "COMMIT", "END", "ROLLBACK", "DELETE FROM sqlite_sequence" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_starts_fold(statement, words[i]))
			return true;
	return false;
}

static void dump_statement(struct dump *p, struct str text)
{
	sqlite3_stmt *s = NULL;
	struct str shown = str_trim(text);
	int rc;

	if (!shown.n || is_frame(shown) || p->steps > DB_DUMP_STEPS_MAX)
		return;
	p->inserting = str_starts_fold(shown, "INSERT");
	rc = shown.n > INT_MAX ? SQLITE_TOOBIG : sqlite3_prepare_v2(p->h, shown.p, (int)shown.n, &s, NULL);
	if (rc == SQLITE_OK && s)
		rc = sqlite3_step(s);
	if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW)
		p->d->refused(p->d->ctx, shown, rc == SQLITE_AUTH ? "is not about the table" : sqlite3_errmsg(p->h));
	sqlite3_finalize(s);
}

static struct json_object *dump_value(sqlite3_stmt *s, int column)
{
	switch (sqlite3_column_type(s, column)) {
	case SQLITE_INTEGER:
		return json_object_new_int64(sqlite3_column_int64(s, column));
	case SQLITE_FLOAT:
		return json_object_new_double(sqlite3_column_double(s, column));
	case SQLITE_TEXT:
		return json_new_str(str_make((const char *)sqlite3_column_text(s, column), (size_t)sqlite3_column_bytes(s, column)));
	default:
		return NULL;
	}
}

static int dump_rows(struct dump *p)
{
	struct buf text = BUF_MALLOC;
	sqlite3_stmt *s = NULL;
	int rc;

	buf_printf(&text, "SELECT * FROM \"%s\"", p->d->table);
	rc = sqlite3_prepare_v2(p->h, buf_text(&text), -1, &s, NULL);
	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct json_object *row = json_object_new_object();

		for (int i = 0; i < sqlite3_column_count(s); i++)
			json_put(row, sqlite3_column_name(s, i), dump_value(s, i));
		p->d->row(p->d->ctx, row);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(s);
	buf_free(&text);
	return rc == SQLITE_DONE && p->steps <= DB_DUMP_STEPS_MAX ? 0 : -1;
}

int db_read_dump(struct str text, const struct db_dump *dump)
{
	struct dump p = { .d = dump };
	struct buf pages = BUF_MALLOC;
	int rc = -1;

	configure();
	if (sqlite3_open_v2(":memory:", &p.h, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL) != SQLITE_OK)
		log_fatal("a database in memory cannot be opened");
	buf_printf(&pages, "PRAGMA max_page_count = %d", DB_DUMP_PAGES_MAX);
	if (sqlite3_exec(p.h, buf_text(&pages), NULL, NULL, NULL) != SQLITE_OK)
		log_fatal("a database in memory takes no limit");
	sqlite3_db_config(p.h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(p.h, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_progress_handler(p.h, DUMP_STEPS, dump_progress, &p);
	sqlite3_set_authorizer(p.h, dump_authorizer, &p);
	while (text.n) {
		size_t n = statement_length(text);

		dump_statement(&p, str_make(text.p, n));
		text = str_skip(text, n);
	}
	sqlite3_set_authorizer(p.h, NULL, NULL);
	rc = dump_rows(&p);
	sqlite3_close(p.h);
	buf_free(&pages);
	return rc;
}

const char *db_library_version(void)
{
	return sqlite3_libversion();
}

/* Copies */

/* All pages of from into to, DB_COPY_PAGES at a time. */
static int copy_pages(struct db *from, sqlite3 *to, db_copy_progress *progress, void *ctx)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from->h, "main");
	int rc;

	if (!b)
		return sqlite3_errcode(to);
	do {
		rc = sqlite3_backup_step(b, DB_COPY_PAGES);
		if (progress)
			progress(ctx, sqlite3_backup_pagecount(b) - sqlite3_backup_remaining(b), sqlite3_backup_pagecount(b));
	} while (rc == SQLITE_OK);
	return sqlite3_backup_finish(b);
}

int db_copy(struct db *d, const char *path, db_copy_progress *progress, void *ctx, struct problem *why)
{
	sqlite3 *to = NULL;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), rc;

	if (fd < 0)
		return problem_unavailable(why, "%.300s: %s", path, strerror(errno));
	close(fd);
	rc = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK)
		rc = copy_pages(d, to, progress, ctx);
	/* The pages say that there is a write-ahead log; a copy has none and can be read where nothing can be written. */
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		problem_unavailable(why, "%.300s: %s", path, to ? sqlite3_errmsg(to) : sqlite3_errstr(rc));
	sqlite3_close(to);
	return rc == SQLITE_OK ? 0 : -1;
}
