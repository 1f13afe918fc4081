/* The writer: takes the writes that its clients sent, commits many with one fsync, answers. It knows statements by
 * number and nothing of what they mean; the exceptions are the test whether a file can be written, intents whose process is
 * gone, which nobody else could settle, and what it does unasked between two batches: prune.c and seal.c.
 *
 * One turn: every client's frames are read, then `batch` runs: for each file one transaction over all frames, one
 * commit, the generation raised, all answers sent. No timer: what arrives during a commit is the next batch.
 *
 * A refused write leaves its neighbours alone. Nearly always it has changed nothing: its guard stands first. When it
 * has, the transaction is begun anew with a savepoint around each write; as a rule there are none, since for each of
 * them SQLite copies every page it touches. When the transaction itself fails (disk full, locked, read-only) all
 * writes of it fail, the file is marked as not healthy, and a small write every half second tells when it is again. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sysexits.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/crypto.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/writer.h"
#include "loop/child.h"
#include "loop/loop.h"
#include "store/db.h"
#include "store/migrate.h"
#include "store/prune.h"
#include "store/seal.h"
#include "store/wire.h"

enum {
	WRITER_BATCH_FRAMES = 512,
	WRITER_BATCH_BYTES = 8 << 20,
	WRITER_READ = 64 * 1024,                /* with one recv */
	WRITER_IN_MAX = WIRE_FRAME_MAX + WRITER_READ,   /* of a client; the rest waits in its socket */
	WRITER_OUT_MAX = 256 * 1024,            /* answers not read by a client: above, its frames are not taken */
	WRITER_CLIENTS_MAX = SHARED_WORKERS_MAX + 64,
	WRITER_WAL_PAGES = 4000,                /* checkpoint each time the WAL grew by so many: 16 MB */
	WRITER_PROBE_MS = 500,
	WRITER_STOP_MS = 2000,                  /* how long a stop waits for clients to leave */
	WRITER_ACCEPT_PAUSE_MS = 100,           /* after running out of descriptors */
};

/* A process that has, or had, a connection. When it is dead and all it sent was taken, its intents are settled. */
struct peer {
	struct loop_fd end;                     /* pidfd; -1: none, the last connection's end stands for it */
	pid_t pid;
	unsigned clients;
	bool dead;
	struct peer *next;
};

struct client {
	struct loop_fd fd;
	struct peer *peer;
	enum shared_role role;
	struct buf in, out;
	size_t taken, sent;                     /* bytes of `in` that are in the batch, of `out` that have left */
	uint32_t events;
	bool ended;                             /* sends no more */
	bool malformed;                         /* sent what it should not: gets its answers and is closed */
	bool broken;                            /* its socket failed */
	struct client *next;
};

/* One write of the batch. */
struct item {
	struct client *client;
	struct str frame;
	struct wire_reader head;
	bool decided;                           /* its answer needs no transaction */
	struct wire_answer answer;
};

enum outcome { GOOD, REFUSED, FAILED, AGAIN, BROKEN };  /* AGAIN: with savepoints; BROKEN: the transaction is lost */

static struct {
	const struct conf *conf;
	struct shared *shared;
	struct db *db[SQL_FILES];
	struct loop_fd listener, signals;
	struct loop_task batch;
	struct loop_timer probe, prune, seal, stop, accept_pause;
	struct prune pruning;
	struct seal sealing;
	bool stopping, paused;
	struct client *clients;
	unsigned n_clients;
	struct peer *peers;
	struct item item[WRITER_BATCH_FRAMES];
	unsigned items;
} w;

#define OWNER(type, member, pointer) ((struct type *)((char *)(pointer) - offsetof(struct type, member)))

/* Health */

static _Atomic int32_t *health(enum sql_file f)
{
	return f == SQL_DIRECTORY ? &w.shared->directory_healthy : &w.shared->ledger_healthy;
}

static void set_health(enum sql_file f, bool healthy)
{
	if (atomic_exchange(health(f), healthy) != healthy) {
		if (healthy)
			log_info("%s.db can be written again", sql_file_name(f));
		else
			log_error("%s.db cannot be written: %s (%s)", sql_file_name(f), db_error_text(w.db[f]),
				db_error_kind(w.db[f]));
	}
	if (!healthy && !w.probe.slot)
		loop_timer_set(&w.probe, WRITER_PROBE_MS);
}

/* After any failure of a transaction. A damaged file is no matter for a next attempt. */
static void transaction_failed(enum sql_file f)
{
	if (strcmp(db_error_kind(w.db[f]), "corrupt") == 0)
		log_fatal("%s.db is damaged: %s", sql_file_name(f), db_error_text(w.db[f]));
	db_rollback(w.db[f]);
	set_health(f, false);
}

static bool probe_file(enum sql_file f)
{
	static const enum sql_id id[SQL_FILES] = { SQL_DIRECTORY_PROBE, SQL_LEDGER_PROBE };
	char now[CLOCK_ISO];
	struct db_stmt *s;
	int rc;

	clock_iso(clock_ms(), now);
	if (db_begin(w.db[f]) < 0)
		return false;
	s = db_start(w.db[f], id[f], "t", now);
	rc = db_step(s);
	db_end(s);
	if (rc == 0 && db_commit(w.db[f]) == 0)
		return true;
	db_rollback(w.db[f]);
	return false;
}

/* Intents whose process is gone become receipts with unknown outcome. */

static int settle_pid(pid_t pid)
{
	struct db *d = w.db[SQL_LEDGER];
	char now[CLOCK_ISO];
	struct db_stmt *s;
	int rc = -1;

	clock_iso(clock_ms(), now);
	if (db_begin(d) == 0) {
		s = db_start(d, SQL_INTENT_ORPHANS, "ti", now, (int64_t)pid);
		rc = db_step(s);
		db_end(s);
	}
	if (rc < 0 || db_commit(d) < 0) {
		transaction_failed(SQL_LEDGER);
		return -1;
	}
	log_warn("process %ld ended with %lld calls under way: recorded with unknown outcome", (long)pid,
		(long long)db_changes(d));
	return 0;
}

/* Processes with open intents, at most max of them. -1 when they cannot be read. */
static int intent_pids(pid_t *pid, int max)
{
	struct db_stmt *s = db_start(w.db[SQL_LEDGER], SQL_INTENT_PIDS, "");
	int n = 0, rc;

	while ((rc = db_step(s)) == 1 && n < max)
		pid[n++] = (pid_t)db_int(s, 0);
	db_end(s);
	return rc < 0 ? -1 : n;
}

static bool has_intents(pid_t pid)
{
	pid_t open[WRITER_CLIENTS_MAX];
	int n = intent_pids(open, WRITER_CLIENTS_MAX);

	for (int i = 0; i < n; i++)
		if (open[i] == pid)
			return true;
	return n < 0;
}

/* Peers */

static void peer_free(struct peer *p)
{
	struct peer **at = &w.peers;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	if (p->end.fd >= 0) {
		loop_del(&p->end);
		close(p->end.fd);
	}
	free(p);
}

/* Forgets a peer that is gone and left nothing open; on failure it stays and the probe comes back to it. */
static void peer_check(struct peer *p)
{
	if (p->clients || p->end.fd >= 0)
		return;
	p->dead = true;
	if (has_intents(p->pid) && settle_pid(p->pid) < 0)
		return;
	peer_free(p);
}

static void peer_ended(struct loop_fd *f, uint32_t events)
{
	struct peer *p = OWNER(peer, end, f);

	(void)events;
	loop_del(f);
	close(f->fd);
	f->fd = -1;
	p->dead = true;
	peer_check(p);
}

static struct peer *peer_new(pid_t pid, bool dead)
{
	struct peer *p = mem_alloc(sizeof(*p));

	p->pid = pid;
	p->dead = dead;
	p->end.ready = peer_ended;
	p->end.fd = dead ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (p->end.fd >= 0)
		loop_add(&p->end, EPOLLIN);
	p->next = w.peers;
	w.peers = p;
	return p;
}

static struct peer *peer_get(pid_t pid)
{
	for (struct peer *p = w.peers; p; p = p->next)
		if (p->pid == pid && !p->dead)
			return p;
	return peer_new(pid, false);
}

static void on_probe(struct loop_timer *t)
{
	struct peer *next;

	for (enum sql_file f = 0; f < SQL_FILES; f++)
		if (!atomic_load(health(f)))
			set_health(f, probe_file(f));
	if (!atomic_load(health(SQL_LEDGER)))
		return;
	(void)t;
	for (struct peer *p = w.peers; p; p = next) {
		next = p->next;
		peer_check(p);
	}
}

/* Clients */

static void want(struct client *c)
{
	uint32_t events = 0;

	if (!c->ended && c->in.len < WRITER_IN_MAX && c->out.len - c->sent < WRITER_OUT_MAX)
		events |= EPOLLIN;
	if (c->sent < c->out.len)
		events |= EPOLLOUT;
	if (events == c->events)
		return;
	c->events = events;
	loop_mod(&c->fd, events);
}

static void client_free(struct client *c)
{
	struct client **at = &w.clients;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	w.n_clients--;
	loop_del(&c->fd);
	close(c->fd.fd);
	c->peer->clients--;
	peer_check(c->peer);
	buf_free(&c->in);
	buf_free(&c->out);
	free(c);
	if (w.stopping && !w.clients)
		loop_stop();
}

static void client_send(struct client *c)
{
	ssize_t n;

	while (c->sent < c->out.len) {
		n = send(c->fd.fd, c->out.data + c->sent, c->out.len - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			c->broken |= errno != EAGAIN;
			return;
		}
		c->sent += (size_t)n;
	}
	buf_clear(&c->out);
	c->sent = 0;
}

static void client_receive(struct client *c)
{
	ssize_t n;

	while (!c->ended && c->in.len < WRITER_IN_MAX) {
		buf_reserve(&c->in, WRITER_READ);
		n = recv(c->fd.fd, c->in.data + c->in.len, WRITER_READ, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			c->ended = true;
			return;
		}
		c->in.len += (size_t)n;
		if (n < WRITER_READ)
			return;
	}
}

static void client_ready(struct loop_fd *f, uint32_t events)
{
	struct client *c = OWNER(client, fd, f);

	if (events & EPOLLOUT)
		client_send(c);
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		client_receive(c);
	loop_post(&w.batch);
}

/* Programs of exec rows run as the same user as the admin's command; they are told by their ancestors, which they cannot
 * lose: see exec.c. A process that is gone has nothing to say. */
static bool is_program(pid_t pid)
{
	for (; pid > 1 && shared_role_of(w.shared, pid) != ROLE_EXEC; pid = child_parent(pid))
		;
	return pid > 1 || pid < 0;
}

/* Workers by the master's table; the admin's command by its user. */
static enum shared_role role_of(const struct ucred *u)
{
	enum shared_role role = shared_role_of(w.shared, u->pid);

	if (role != ROLE_NONE)
		return role == ROLE_WORKER ? ROLE_WORKER : ROLE_NONE;
	return (u->uid == 0 || u->uid == geteuid()) && !is_program(u->pid) ? ROLE_CTL : ROLE_NONE;
}

static void client_new(int fd)
{
	struct ucred u;
	socklen_t n = sizeof(u);
	struct client *c;
	enum shared_role role;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &n) < 0)
		u = (struct ucred){ .uid = (uid_t)-1 };
	role = role_of(&u);
	if (role == ROLE_NONE || w.n_clients == WRITER_CLIENTS_MAX) {
		log_warn("process %ld of user %ld may not write%s", (long)u.pid, (long)u.uid,
			role == ROLE_NONE ? "" : ": too many connections");
		close(fd);
		return;
	}
	c = mem_alloc(sizeof(*c));
	c->role = role;
	c->peer = peer_get(u.pid);
	c->peer->clients++;
	c->fd = (struct loop_fd){ .fd = fd, .ready = client_ready };
	c->events = EPOLLIN;
	c->next = w.clients;
	w.clients = c;
	w.n_clients++;
	loop_add(&c->fd, EPOLLIN);
}

static void accept_all(struct loop_fd *f, uint32_t events)
{
	int fd;

	(void)events;
	while ((fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		client_new(fd);
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
		log_error("accept: %s", strerror(errno));
		loop_del(f);
		w.paused = true;
		loop_timer_set(&w.accept_pause, WRITER_ACCEPT_PAUSE_MS);
	}
}

static void accept_again(struct loop_timer *t)
{
	(void)t;
	w.paused = false;
	if (!w.stopping)
		loop_add(&w.listener, EPOLLIN);
}

/* One write */

static void refuse(struct item *it, const char *code)
{
	it->answer.status = WIRE_REFUSED;
	snprintf(it->answer.code, sizeof(it->answer.code), "%s", code);
}

static bool may_send(struct client *c, const struct sql *q)
{
	/* A worker that was quicker than the master's table came in as somebody else. */
	if (c->role == ROLE_CTL && !(q->roles & BY_CTL))
		c->role = shared_role_of(w.shared, c->peer->pid) == ROLE_WORKER ? ROLE_WORKER : ROLE_CTL;
	return q->roles & (c->role == ROLE_WORKER ? BY_WORKER : BY_CTL);
}

/* Looks through a frame before any of it is applied. False: malformed. */
static bool examine(struct item *it)
{
	struct wire_reader r;
	struct wire_statement st;
	bool proof;
	int rc;

	if (wire_read(it->frame, &it->head) < 0)
		return false;
	it->answer.id = it->head.id;
	if (it->head.foreign) {
		refuse(it, "other_version");
		it->decided = true;
		return true;
	}
	r = it->head;
	while ((rc = wire_read_statement(&r, &st, &proof)) == 1) {
		const struct sql *q = sql_get(st.id);

		if (proof != (q->kind == PROOF))
			return false;
		if (!may_send(it->client, q) && !it->decided) {
			refuse(it, "not_allowed");
			it->decided = true;
		}
	}
	it->decided |= !it->head.statements;    /* asks only whether we are there */
	return rc == 0;
}

static enum outcome statement_failed(struct db *d, struct item *it, const struct sql *q)
{
	const char *kind = db_error_kind(d);

	if (!db_in_transaction(d))
		return BROKEN;
	if (strcmp(kind, "constraint") == 0) {
		refuse(it, q->refusal ? q->refusal : kind);
		return REFUSED;
	}
	if (strcmp(kind, "other") != 0)
		return BROKEN;
	it->answer.status = WIRE_FAILED;
	snprintf(it->answer.code, sizeof(it->answer.code), "%s", kind);
	return FAILED;
}

static enum outcome run_statement(struct db *d, struct item *it, const struct wire_statement *st)
{
	const struct sql *q = sql_get(st->id);
	struct db_stmt *s = db_start_values(d, st->id, st->value, st->n);
	enum outcome o = GOOD;
	int rc = db_step(s), rows = 0;

	for (; rc == 1 && q->kind != GUARD; rc = db_step(s))
		if (rows++ == 0)
			it->answer.result = db_int(s, 0);
	if (rc < 0) {
		o = statement_failed(d, it, q);
	} else if ((q->kind == GUARD && rc == 0) || (q->kind == WRITE_ONE && db_changes(d) != 1)) {
		refuse(it, q->refusal);
		o = REFUSED;
	}
	db_end(s);
	return o;
}

static enum outcome run_statements(struct db *d, struct item *it)
{
	struct wire_reader r = it->head;
	struct wire_statement st;
	enum outcome o = GOOD;
	bool proof;

	while (o == GOOD && wire_read_statement(&r, &st, &proof) == 1)
		if (!proof)
			o = run_statement(d, it, &st);
	return o;
}

/* GOOD when one of the proofs gives a row: the write was applied before. */
static enum outcome run_proofs(struct db *d, struct item *it)
{
	struct wire_reader r = it->head;
	struct wire_statement st;
	bool proof;
	int rc = 0;

	while (rc == 0 && wire_read_statement(&r, &st, &proof) == 1)
		if (proof) {
			struct db_stmt *s = db_start_values(d, st.id, st.value, st.n);

			rc = db_step(s);
			if (rc == 1)
				it->answer.result = db_int(s, 0);
			db_end(s);
		}
	return rc == 1 ? GOOD : rc == 0 ? REFUSED : BROKEN;
}

static enum outcome apply(struct db *d, struct item *it, bool savepoint)
{
	int64_t before = db_total_changes(d);
	enum outcome o;

	it->answer.status = WIRE_COMMITTED;
	it->answer.result = 0;
	it->answer.code[0] = 0;
	db_set_client(d, it->client->peer->pid);
	if (it->head.repeated) {
		o = run_proofs(d, it);
		if (o != REFUSED)
			return o;
	}
	if (savepoint && db_savepoint(d) < 0)
		return BROKEN;
	o = run_statements(d, it);
	if (!savepoint)
		return o == GOOD || o == BROKEN || db_total_changes(d) == before ? o : AGAIN;
	if (o != BROKEN && (o == GOOD ? db_release(d) : db_undo(d)) < 0)
		return BROKEN;
	return o;
}

/* A batch */

/* GOOD, AGAIN or BROKEN. */
static enum outcome apply_all(enum sql_file f, bool savepoints, unsigned *committed)
{
	*committed = 0;
	for (unsigned i = 0; i < w.items; i++) {
		struct item *it = &w.item[i];
		enum outcome o;

		if (it->head.file != f || it->decided)
			continue;
		o = apply(w.db[f], it, savepoints);
		if (o == AGAIN || o == BROKEN)
			return o;
		*committed += o == GOOD;
	}
	return GOOD;
}

static void fail_all(enum sql_file f)
{
	char kind[16];

	snprintf(kind, sizeof(kind), "%s", db_error_kind(w.db[f]));     /* rolling back may fail in its own way */
	transaction_failed(f);
	for (unsigned i = 0; i < w.items; i++) {
		struct item *it = &w.item[i];

		if (it->head.file != f || it->decided)
			continue;
		it->answer.status = WIRE_FAILED;
		it->answer.result = 0;
		snprintf(it->answer.code, sizeof(it->answer.code), "%s", kind);
	}
}

static void commit_file(enum sql_file f)
{
	struct db *d = w.db[f];
	enum outcome o = BROKEN;
	unsigned committed = 0;

	if (db_begin(d) == 0)
		o = apply_all(f, false, &committed);
	if (o == AGAIN) {
		db_rollback(d);
		o = db_begin(d) == 0 ? apply_all(f, true, &committed) : BROKEN;
	}
	if (o != GOOD || db_commit(d) < 0) {
		fail_all(f);
		return;
	}
	if (committed) {
		set_health(f, true);
		/* After the commit, before any answer: who is told can rely on everybody seeing it. */
		if (f == SQL_DIRECTORY)
			shared_raise(w.shared, true, false);
		else if (!w.seal.slot)
			loop_timer_set(&w.seal, SEAL_LOOK_MS);
	}
	shared_count(w.shared, COUNT_WRITES, committed);
	shared_count(w.shared, COUNT_WRITE_BATCHES, 1);
}

static void answer_file(enum sql_file f)
{
	for (unsigned i = 0; i < w.items; i++) {
		struct item *it = &w.item[i];

		if (it->head.file != f)
			continue;
		if (it->answer.status == WIRE_REFUSED)
			shared_count(w.shared, COUNT_WRITES_REFUSED, 1);
		wire_answer_add(&it->client->out, &it->answer);
	}
	for (struct client *c = w.clients; c; c = c->next)
		if (c->out.len && !c->broken)
			client_send(c);
}

/* Takes whole frames from the front of what c sent, until the batch is full. */
static size_t take_frames(struct client *c, size_t room)
{
	size_t bytes = 0;
	struct item *it;
	int rc = 0;

	while (!c->broken && !c->malformed && w.items < WRITER_BATCH_FRAMES && bytes < room &&
		c->out.len - c->sent < WRITER_OUT_MAX) {
		it = &w.item[w.items];
		*it = (struct item){ .client = c };
		rc = wire_next(str_skip(buf_str(&c->in), c->taken), &it->frame);
		if (rc == 0)
			break;
		if (rc < 0 || !examine(it)) {
			log_error("process %ld sent a malformed write: connection closed", (long)c->peer->pid);
			c->malformed = true;
			break;
		}
		c->taken += it->frame.n;
		bytes += it->frame.n;
		w.items++;
	}
	return bytes;
}

static void take_batch(void)
{
	size_t bytes = 0;

	w.items = 0;
	for (struct client *c = w.clients; c && bytes < WRITER_BATCH_BYTES; c = c->next)
		bytes += take_frames(c, WRITER_BATCH_BYTES - bytes);
}

/* The first client goes to the end of the list, so that each is first in turn. */
static void rotate(void)
{
	struct client **end = &w.clients, *first = w.clients;

	if (!first || !first->next)
		return;
	while (*end)
		end = &(*end)->next;
	w.clients = first->next;
	first->next = NULL;
	*end = first;
}

/* Drops what was taken. A client goes when it is broken, or ended with nothing whole left to take. True when there may
 * be more to take at once. */
static bool tidy(bool full)
{
	struct client *next;
	bool more = false;

	for (struct client *c = w.clients; c; c = next) {
		struct str frame;

		next = c->next;
		memmove(c->in.data, c->in.data + c->taken, c->in.len - c->taken);
		c->in.len -= c->taken;
		c->taken = 0;
		if (c->broken || c->malformed || (c->ended && wire_next(buf_str(&c->in), &frame) == 0)) {
			client_free(c);
			continue;
		}
		more |= full && wire_next(buf_str(&c->in), &frame) != 0;
		want(c);
	}
	return more;
}

static bool in_batch(enum sql_file f)
{
	for (unsigned i = 0; i < w.items; i++)
		if (w.item[i].head.file == f && !w.item[i].decided)
			return true;
	return false;
}

static void on_batch(struct loop_task *t)
{
	bool full;

	take_batch();
	full = w.items > 0;
	/* Receipts first: they are many and somebody waits for each. */
	for (int f = SQL_FILES - 1; f >= 0; f--) {
		if (in_batch((enum sql_file)f))
			commit_file((enum sql_file)f);
		answer_file((enum sql_file)f);
	}
	rotate();
	if (tidy(full))
		loop_post(t);
	for (int f = SQL_FILES - 1; f >= 0; f--)
		db_checkpoint(w.db[f], WRITER_WAL_PAGES);
}

/* Payloads and keys that are too old */

static void on_prune(struct loop_timer *t)
{
	const struct prune_keep keep = { w.conf->payload_keep_ms, w.conf->idempotency_ms };
	int64_t next = PRUNE_EVERY_MIN_MS;

	if (atomic_load(health(SQL_LEDGER))) {
		next = prune_step(&w.pruning, w.db[SQL_LEDGER], &keep);
		if (next < 0)
			transaction_failed(SQL_LEDGER);
		db_checkpoint(w.db[SQL_LEDGER], WRITER_WAL_PAGES);
	}
	loop_timer_set(t, next < 0 ? PRUNE_EVERY_MIN_MS : next);
}

/* The timer runs while there is something to seal; the next commit of receipts starts it again. */
static void on_seal(struct loop_timer *t)
{
	int64_t next = SEAL_LOOK_MS;

	if (atomic_load(health(SQL_LEDGER))) {
		next = seal_step(&w.sealing, w.db[SQL_LEDGER], w.conf->seal_interval_ms);
		if (next < 0) {
			transaction_failed(SQL_LEDGER);
			next = SEAL_LOOK_MS;
		}
	}
	if (next > 0)
		loop_timer_set(t, next);
}

/* Start and stop */

static void put_path(struct buf *path, enum sql_file f)
{
	buf_printf(path, "%s/%s.db", w.conf->data_dir, sql_file_name(f));
}

static bool is_new(enum sql_file f)
{
	struct buf path = BUF_MALLOC;
	struct stat st;
	bool none;

	put_path(&path, f);
	none = stat(buf_text(&path), &st) < 0 || st.st_size == 0;
	buf_free(&path);
	return none;
}

/* What is in an open file was acknowledged, so the other one was there too. */
static bool is_used(enum sql_file f)
{
	static const enum sql_id last[SQL_FILES] = { SQL_DIRECTORY_VERSION, SQL_RECEIPT_LAST };
	int64_t n = 0;
	bool found;

	return w.db[f] && (db_one_int(w.db[f], last[f], &n, &found, "") < 0 || n > 0);
}

/* 0, or the exit status. */
static int open_file(enum sql_file f)
{
	/* The workers have read the files of the first writer. */
	bool first = atomic_load(&w.shared->rows_generation) == SHARED_GENERATION_FIRST;
	struct migrate_options o = {
		.synchronous = w.conf->synchronous, .allow_network_fs = w.conf->allow_network_fs,
		.must_exist = !first || is_used(f == SQL_LEDGER ? SQL_DIRECTORY : SQL_LEDGER),
	};
	struct buf path = BUF_MALLOC;
	struct problem why = { 0 };
	int applied;

	put_path(&path, f);
	w.db[f] = migrate_open(buf_text(&path), f, w.conf->migrations_dir, &o, &applied, &why);
	atomic_store(health(f), w.db[f] != NULL);
	if (!w.db[f])
		log_error("%s%s%s", why.detail, *why.how_to_fix ? ": " : "", why.how_to_fix);
	else if (applied)
		log_info("%s: %d migrations applied", buf_text(&path), applied);
	buf_free(&path);
	if (w.db[f])
		return 0;
	return why.status == 500 || (first && o.must_exist && is_new(f)) ? EX_CONFIG : EXIT_FAILURE;
}

/* One that alone is new comes last: whether it may be is for the other to say. */
static int open_files(void)
{
	enum sql_file first = is_new(SQL_DIRECTORY) && !is_new(SQL_LEDGER) ? SQL_LEDGER : SQL_DIRECTORY;
	int status = open_file(first);

	return status ? status : open_file(first == SQL_LEDGER ? SQL_DIRECTORY : SQL_LEDGER);
}

/* What the last writer left: intents of processes that are no living worker of this master are settled, the others are
 * watched. */
static void settle_intents(void)
{
	pid_t pid[WRITER_CLIENTS_MAX];
	int n = intent_pids(pid, WRITER_CLIENTS_MAX);

	for (int i = 0; i < n; i++)
		if (shared_role_of(w.shared, pid[i]) == ROLE_WORKER && (kill(pid[i], 0) == 0 || errno == EPERM))
			peer_get(pid[i]);
		else
			peer_check(peer_new(pid[i], true));
}

static void on_stop(struct loop_timer *t)
{
	(void)t;
	loop_stop();
}

static void on_signal(struct loop_fd *f, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)events;
	if (read(f->fd, &info, sizeof(info)) != sizeof(info) || w.stopping)
		return;
	w.stopping = true;
	if (!w.paused)
		loop_del(&w.listener);
	loop_timer_set(&w.stop, WRITER_STOP_MS);
	if (!w.clients)
		loop_stop();
}

static void watch_signals(void)
{
	sigset_t set;

	/* The terminal's Ctrl-C reaches every process; the master alone says in which order they stop. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);       /* a limit on the size of files is a full disk, not an end */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	sigprocmask(SIG_SETMASK, &set, NULL);
	w.signals = (struct loop_fd){ .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), .ready = on_signal };
	if (w.signals.fd < 0)
		log_fatal("signalfd: %s", strerror(errno));
	loop_add(&w.signals, EPOLLIN);
}

static void begin(const struct conf *conf, struct shared *shared, int listen_fd)
{
	memset(&w, 0, sizeof(w));
	w.conf = conf;
	w.shared = shared;
	w.batch.run = on_batch;
	w.probe.fire = on_probe;
	w.prune.fire = on_prune;
	w.seal.fire = on_seal;
	w.stop.fire = on_stop;
	w.accept_pause.fire = accept_again;
	w.listener = (struct loop_fd){ .fd = listen_fd, .ready = accept_all };
	shared_writer_ready(shared, false);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	crypto_init();
	loop_done();
	loop_init();
	watch_signals();
}

static void end(void)
{
	struct client *next;

	shared_writer_ready(w.shared, false);
	for (struct client *c = w.clients; c; c = next) {
		next = c->next;
		client_free(c);
	}
	while (w.peers)
		peer_free(w.peers);
	if (w.db[SQL_LEDGER] && atomic_load(health(SQL_LEDGER)))
		seal_rest(&w.sealing, w.db[SQL_LEDGER]);
	seal_free(&w.sealing);
	for (enum sql_file f = 0; f < SQL_FILES; f++)
		db_close(w.db[f]);
	close(w.signals.fd);
	loop_done();
}

int writer_main(const struct conf *conf, struct shared *shared, int listen_fd)
{
	int status;

	begin(conf, shared, listen_fd);
	status = open_files();
	if (status == 0) {
		settle_intents();
		shared_raise(shared, true, true);
		loop_add(&w.listener, EPOLLIN);
		loop_timer_set(&w.prune, PRUNE_PAUSE_MS);
		loop_timer_set(&w.seal, SEAL_LOOK_MS);
		shared_writer_ready(shared, true);
		loop_run();
	}
	end();
	return status;
}
