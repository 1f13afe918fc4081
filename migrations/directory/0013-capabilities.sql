-- Capability tokens: what a credential of the form rct_… may do. Of its secret only a digest is here. Limits are set when
-- it is made and never change; a token can only be revoked. Uses are counted in the ledger.
CREATE TABLE capabilities (
	fingerprint    TEXT PRIMARY KEY,       -- "cap_" and the first 16 hex digits of digest: the token's name
	digest         TEXT NOT NULL UNIQUE,   -- SHA-256 in hex of the whole token
	parent         TEXT,                   -- fingerprint of the token that it was made from; NULL: made by the owner
	depth          INTEGER NOT NULL,       -- tokens above it
	created_at     TEXT NOT NULL,          -- UTC, ISO 8601
	created_by     TEXT NOT NULL,          -- actor
	expires_at     TEXT NOT NULL,          -- UTC, ISO 8601; valid before this time
	scope          TEXT NOT NULL,          -- read, act, row:K, rows:A,B, pfx:P, cat:C
	uses           INTEGER NOT NULL,       -- calls in all; 0: no limit
	rate           INTEGER NOT NULL,       -- calls a minute; 0: no limit
	max_body_bytes INTEGER NOT NULL,       -- of a call's arguments; 0: no limit of its own
	risk_ceiling   TEXT NOT NULL,          -- low, high
	owner_gate     TEXT NOT NULL,          -- false; true: nothing runs; hold: each call waits for the owner's approval
	purpose        TEXT,                   -- what it is for, for people
	actor          TEXT,                   -- who holds it, for people
	audience       TEXT,                   -- host of the service that it is for; NULL: any
	body_fixed     TEXT,                   -- the only arguments that it may send; NULL: any
	contract       TEXT,                   -- digest of the contract that its row must have; NULL: any
	identity       INTEGER,                -- of the row of a row: scope: the event that made it; NULL: not bound to one
	revoked_at     TEXT,                   -- UTC, ISO 8601
	revoked_by     TEXT                    -- actor
) WITHOUT ROWID;
CREATE INDEX capabilities_parent ON capabilities (parent) WHERE parent IS NOT NULL;
