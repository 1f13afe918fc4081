/* import/sql.c: dumps of the original table, and what of a dump is never run. */
#include <stdlib.h>
#include <string.h>
#include "fixture.h"
#include "import/sql.h"

#define TABLE "CREATE TABLE directory (\n  key TEXT PRIMARY KEY,\n  type TEXT NOT NULL CHECK (type IN ('fn','http','agent','flow')),\n  target TEXT, auth TEXT, content TEXT,\n" \
	"  updated_at TEXT NOT NULL\n, category TEXT, allowed_categories TEXT, seq INTEGER, enabled INTEGER DEFAULT 1,\n  planner_visible INTEGER DEFAULT 1, planner_rank INTEGER DEFAULT 100,\n" \
	"  input_schema TEXT, examples TEXT, sensitive INTEGER DEFAULT 0, runner TEXT,\n  includes TEXT, created_at TEXT);\n"

static int convert(const char *dump)
{
	struct problem why = { 0 };

	arena_reset(arena);
	draft_init(&d, arena);
	return sql_convert(&d, str_of(dump), &why);
}

static void original(void)
{
	tap_is_int(convert("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" TABLE
		"INSERT INTO directory VALUES('ZZ_A','fn','now',NULL,replace('# WHAT: a;b''s\\n[\"x\"]','\\n',char(10)),'2026-06-10 02:22:52','c',NULL,3,0,1,50,NULL,'[\"\"]',1,'edge',NULL,NULL);\n"
		"INSERT INTO \"directory\" (key,type,updated_at) VALUES('B','flow','t'),('C','http','t');\nCREATE INDEX i ON directory(category);\nCOMMIT;\n"), 0, "a dump is read");
	tap_is_str(text_of(json_object_array_get_idx(d.rows, 0)), "{\"key\":\"ZZ_A\",\"type\":\"fn\",\"target\":\"now\",\"content\":\"# WHAT: a;b's\\n[\\\"x\\\"]\",\"category\":\"c\",\"seq\":3,"
		   "\"enabled\":0,\"planner_visible\":1,\"planner_rank\":50,\"examples\":\"[\\\"\\\"]\",\"sensitive\":1,\"runner\":\"edge\"}", "a row has all that can be set");
	tap_is_int((int64_t)json_object_array_length(d.rows), 3, "several rows in one statement");
	tap_is_str(text_of(d.notes), "[{\"at\":\"CREATE INDEX i ON directory(category);\",\"what\":\"is left out: is not about the table\",\"lost\":false}]", "an index is left out, and told");
}

static void others(void)
{
	convert("CREATE TABLE users (a);INSERT INTO users VALUES(1);" "CREATE TABLE directory (key PRIMARY KEY, type CHECK (type IN ('fn','http')), updated_at, owner, enabled DEFAULT 1);INSERT INTO directory (key,type,updated_at,owner) VALUES('A','fn','t','me');"
		"INSERT INTO directory (key,type,updated_at) VALUES('B','cron','t');INSERT INTO directory (key,type,updated_at) VALUES('A','fn','t');garbage;");
	tap_is_str(text_of(d.rows), "[{\"key\":\"A\",\"type\":\"fn\",\"enabled\":1}]", "other tables are not there");
	tap_ok(strstr(text_of(d.notes), "{\"at\":\"owner\",\"what\":\"the column is left out: rows have none of that name\",\"lost\":true}"), "an unknown column is told");
	tap_ok(strstr(text_of(d.notes), "is left out: CHECK constraint failed"), "a row of a type that there is not is told");
	tap_ok(strstr(text_of(d.notes), "UNIQUE constraint failed"), "so is a key that stands twice");
	tap_ok(strstr(text_of(d.notes), "near \\\"garbage\\\": syntax error"), "and what is not understood");
	tap_is_int(convert("CREATE TABLE users (a);"), -1, "a dump without the table is refused");
	tap_is_int(convert(""), -1, "so is nothing");
}

static void hostile(void)
{
	static const char *const bad[] = {
		"ATTACH '/tmp/rowcall-dump' AS x;", "INSERT INTO directory(key) SELECT readfile('/etc/passwd');", "INSERT INTO directory(key,type,updated_at) SELECT sql,'fn','t' FROM pragma_database_list;",
		"CREATE TRIGGER t AFTER INSERT ON directory BEGIN DELETE FROM directory; END;", "CREATE VIEW v AS SELECT 1;", "CREATE VIRTUAL TABLE f USING fts5(a);", "DROP TABLE directory;",
		"UPDATE directory SET key = 'x';", "DELETE FROM directory;", "PRAGMA writable_schema=1;", "SELECT load_extension('x');", "VACUUM INTO '/tmp/rowcall-dump';",
		"INSERT INTO directory(key,type,updated_at) VALUES(hex(randomblob(9)),'fn','t');", "CREATE TEMP TABLE directory(key);",
		"INSERT INTO directory(key,type,updated_at) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT n,'fn','t' FROM c;",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf b = BUF_MALLOC;

		buf_printf(&b, "%sINSERT INTO directory (key,type,updated_at) VALUES('A','fn','t');%s", TABLE, bad[i]);
		tap_ok(convert(buf_text(&b)) == 0 && strcmp(text_of(d.rows), "[{\"key\":\"A\",\"type\":\"fn\",\"enabled\":1,\"planner_visible\":1,\"planner_rank\":100,\"sensitive\":0}]") == 0,
		       "is not run: %s", bad[i]);
		buf_free(&b);
	}
}

static void too_much(void)
{
	struct buf b = BUF_MALLOC;
	struct problem why = { 0 };

	buf_puts(&b, TABLE);
	for (int i = 0; i < 40; i++)
		buf_printf(&b, "INSERT INTO directory (key,type,updated_at) SELECT key || '%d', type, 't' FROM directory;INSERT INTO directory (key,type,updated_at) VALUES('S%d','fn','t');", i, i);
	tap_ok(convert(buf_text(&b)) == 0 && json_object_array_length(d.rows) == 40, "a dump does not double itself");
	buf_clear(&b);
	buf_reserve(&b, SQL_DUMP_MAX + 1);
	memset(b.data, ' ', SQL_DUMP_MAX + 1);
	draft_init(&d, arena);
	tap_ok(sql_convert(&d, str_make(b.data, SQL_DUMP_MAX), &why) < 0 && why.status == 400, "64 MiB are looked at");
	tap_ok(sql_convert(&d, str_make(b.data, SQL_DUMP_MAX + 1), &why) < 0 && why.status == 413, "one byte more is refused");
	buf_free(&b);
}

static void random_text(void)
{
	static const char *const piece[] = { "'", "\"", ";", "--", "/*", "*/", "[", "]", "\n", "INSERT INTO directory ", "(key,type,updated_at)", " VALUES", "('A','fn','t')", ",", "x", "`", "BEGIN", "CREATE TABLE directory(key)" };
	unsigned seed = 13, done = 0;

	for (int i = 0; i < 3000; i++) {
		struct buf b = BUF_MALLOC;

		buf_puts(&b, TABLE);
		for (unsigned k = 0; k < 12; k++) {
			seed = seed * 1103515245u + 12345u;
			buf_puts(&b, piece[(seed >> 16) % (sizeof(piece) / sizeof(piece[0]))]);
		}
		done += convert(buf_text(&b)) == 0;
		buf_free(&b);
	}
	tap_is_int(done, 3000, "3,000 random dumps end");
}

int main(void)
{
	arena = arena_new();
	original();
	others();
	hostile();
	too_much();
	random_text();
	arena_free(arena);
	return tap_done();
}
