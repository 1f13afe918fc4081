-- What was done to the ledger itself (breaker resets, prunes). Append-only and chained as directory.db's events are; the record
-- that is hashed holds every column here but prev and hash.
CREATE TABLE ledger_events (
	seq    INTEGER PRIMARY KEY,     -- 1, 2, 3, … without a gap
	id     TEXT NOT NULL UNIQUE,    -- "evt_…", chosen by the client
	time   TEXT NOT NULL,           -- UTC, ISO 8601
	action TEXT NOT NULL,           -- BREAKER_RESET, …
	key    TEXT,                    -- the row it is about
	actor  TEXT NOT NULL,           -- who did it
	trace  TEXT,                    -- trace of the request
	detail TEXT,                    -- JSON
	prev   TEXT NOT NULL,           -- hash of the record before; 64 zeros in the first
	hash   TEXT NOT NULL            -- hash of this one
);
CREATE TRIGGER ledger_events_no_update BEFORE UPDATE ON ledger_events BEGIN SELECT raise(ABORT, 'ledger events are never changed'); END;
CREATE TRIGGER ledger_events_no_delete BEFORE DELETE ON ledger_events BEGIN SELECT raise(ABORT, 'ledger events are never deleted'); END;
CREATE TRIGGER ledger_events_in_order BEFORE INSERT ON ledger_events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM ledger_events)
BEGIN SELECT raise(ABORT, 'ledger events are numbered without a gap'); END;
