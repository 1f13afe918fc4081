-- Receipts: one record a call, written by the engine in the code path that ran it. Never changed and never deleted: a later
-- fact about one is a record of its own that points to it.
CREATE TABLE invocations (
	n                    INTEGER PRIMARY KEY,   -- order of the commits; the ledger is paged by it
	id                   TEXT NOT NULL UNIQUE,  -- "inv_…", chosen by the worker, sorts by time
	time                 TEXT NOT NULL,         -- when the call ended, UTC, ISO 8601
	key                  TEXT NOT NULL,         -- the row called; it may be gone since
	runner               TEXT NOT NULL,         -- label of what ran
	actor                TEXT NOT NULL,         -- credential that called, by its name or fingerprint
	status               TEXT NOT NULL,         -- unknown: it may have run, nobody lived to say
	reason               TEXT,                  -- of a denial or an unknown outcome
	ok                   INTEGER NOT NULL,      -- 1: the result is no error
	material             INTEGER NOT NULL,      -- 1: something material came back
	cost_microusd        INTEGER NOT NULL DEFAULT 0, -- millionths of a US dollar
	duration_us          INTEGER NOT NULL DEFAULT 0, -- from the gate to the result, microseconds
	trace                TEXT NOT NULL,         -- "t_…", shared by all calls of one request
	parent               TEXT,                  -- invocation of the flow or agent that called
	fingerprint_input    TEXT,                  -- SHA-256 in hex of the input
	fingerprint_output   TEXT,                  -- SHA-256 in hex of the result
	fingerprint_contract TEXT,                  -- digest of the contract it ran under
	sensitive            INTEGER NOT NULL DEFAULT 0, -- 1: the row was of high risk, its fingerprints are not public
	on_behalf_of         TEXT,                  -- a claim of the caller
	authorized_by        TEXT,                  -- a claim of the caller
	count                INTEGER NOT NULL DEFAULT 1, -- denials gathered into this one
	-- Not with IN: for more than two values SQLite builds a temporary index at every insert, a third of its cost.
	CHECK (status = 'ok' OR status = 'error' OR status = 'denied' OR status = 'unknown')
);
-- The ledger's filters. Each of them holds the rowid too, so every one gives its rows in the order of n.
CREATE INDEX invocations_key ON invocations (key);
CREATE INDEX invocations_trace ON invocations (trace);
CREATE INDEX invocations_actor ON invocations (actor);
CREATE TRIGGER invocations_no_update BEFORE UPDATE ON invocations BEGIN SELECT raise(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER invocations_no_delete BEFORE DELETE ON invocations BEGIN SELECT raise(ABORT, 'receipts are never deleted'); END;
