/* Events: each is the proof of its write, and they chain in the order of the commits. */
#include "base/crypto.h"
#include "base/log.h"
#include "fixture.h"
#include "store/event.h"

static bool found_in_file(const char *id)
{
	struct db *d = fixture_open(SQL_DIRECTORY, DB_WRITE);
	int64_t seq;
	bool found;

	db_one_int(d, SQL_EVENT_APPLIED, &seq, &found, "t", id);
	db_close(d);
	return found;
}

int main(void)
{
	struct arena *a = arena_new();
	struct write *w = write_new(a, SQL_DIRECTORY);
	struct event e = { .action = "DIRECTORY_MUTATE", .operation = "create", .key = "K", .actor = "owner",
		.trace = "t_1", .after = str_of("{}") }, e2 = e;

	log_init("test", LOG_LEVEL_ERROR);
	crypto_init();
	fixture_make();
	event_add(w, &e);
	event_add(w, &e2);
	tap_ok(strncmp(e.id, "evt_", 4) == 0 && crypto_is_id(str_of(e.id + 4)), "an event gets an id");
	tap_ok(strcmp(e.id, e2.id) != 0, "each its own");
	tap_is_int(write_statements(w), 2, "it is one statement of the write; its proof is none");
	tap_ok(!found_in_file(e.id), "before the write is submitted nothing is stored");
	arena_free(a);
	fixture_remove();
	return tap_done();
}
