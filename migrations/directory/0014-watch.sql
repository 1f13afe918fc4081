-- What calls of sensitive rows have to pass, and those that wait for the owner.
CREATE TABLE watch_rules (
	id           TEXT PRIMARY KEY,       -- "wr_…"
	rank         INTEGER NOT NULL,       -- rules are asked in this order, lowest first; the first that fits decides
	key_pattern  TEXT NOT NULL,          -- of row keys: * any bytes, ? one, […] one of these
	body_pattern TEXT,                   -- regular expression (ECMA-262) found in the arguments; NULL: any
	decision     TEXT NOT NULL,          -- allow, hold, deny
	reason       TEXT,                   -- told to the caller and to who decides
	created_at   TEXT NOT NULL,          -- UTC, ISO 8601
	created_by   TEXT NOT NULL           -- actor
) WITHOUT ROWID;
CREATE TABLE approvals (
	id            TEXT PRIMARY KEY,      -- "apr_…", sorts by time
	created_at    TEXT NOT NULL,         -- UTC, ISO 8601
	expires_at    TEXT NOT NULL,         -- nobody can approve it from this time on
	key           TEXT NOT NULL,         -- the row to be called
	contract      TEXT NOT NULL,         -- digest that it must have when it runs
	actor         TEXT NOT NULL,         -- who called
	token         TEXT,                  -- fingerprint of the caller's token; NULL: the owner
	input         TEXT NOT NULL,         -- the arguments, exactly
	input_form    TEXT NOT NULL,         -- string, array, object
	on_behalf_of  TEXT,                  -- claims of the caller
	authorized_by TEXT,
	reason        TEXT,                  -- of the rule that held it
	state         TEXT NOT NULL,         -- pending, denied, ran
	decided_at    TEXT,                  -- UTC, ISO 8601
	decided_by    TEXT,                  -- actor
	invocation    TEXT                   -- receipt of the one run
) WITHOUT ROWID;
CREATE INDEX approvals_pending ON approvals (id) WHERE state = 'pending';
