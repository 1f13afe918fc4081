-- The log of every change, written in the same transaction as the change. Append-only and chained:
-- hash = SHA-256 in hex of prev followed by the canonical JSON (RFC 8785) of the record, that is of every column here
-- but prev and hash, under its own name, texts as strings. prev of the first record is 64 zeros.
CREATE TABLE events (
	seq             INTEGER PRIMARY KEY,  -- 1, 2, 3, … without a gap, in the order of the commits
	id              TEXT NOT NULL UNIQUE, -- "evt_…", chosen by the client, so that a repeated write is recognised
	time            TEXT NOT NULL,        -- when the client made it, UTC, ISO 8601
	action          TEXT NOT NULL,        -- DIRECTORY_MUTATE, …
	operation       TEXT NOT NULL,        -- create, put, patch, delete, restore, import
	key             TEXT NOT NULL,        -- the row that changed
	actor           TEXT NOT NULL,        -- who did it
	trace           TEXT,                 -- trace of the request
	before          TEXT,                 -- the whole row before, canonical JSON; NULL: there was none
	after           TEXT,                 -- the whole row after; NULL: deleted
	contract_before TEXT,                 -- contract digest before
	contract_after  TEXT,                 -- contract digest after
	prev            TEXT NOT NULL,        -- hash of the record before this one
	hash            TEXT NOT NULL         -- hash of this one
);
-- History of a row, and its version: the greatest seq of its key.
CREATE INDEX events_key ON events (key, seq);
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT raise(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT raise(ABORT, 'events are never deleted'); END;
CREATE TRIGGER events_in_order BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT raise(ABORT, 'events are numbered without a gap'); END;
