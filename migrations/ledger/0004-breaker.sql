-- Circuit breaker of a row: consecutive authentication failures of its upstream. No record: closed, nothing counted.
CREATE TABLE breaker (
	key            TEXT PRIMARY KEY,          -- the row
	failures       INTEGER NOT NULL DEFAULT 0, -- 401 and 403 in a row
	opened_at_ms   INTEGER,                   -- milliseconds since 1970; NULL: closed
	probe_until_ms INTEGER                    -- a worker has claimed the probe until then; NULL: nobody
) WITHOUT ROWID;
