-- What the kv_* functions keep. The number of keys is bounded by the statement that adds one.
CREATE TABLE kv (
	key        TEXT PRIMARY KEY CHECK (length(CAST(key AS BLOB)) BETWEEN 1 AND 256),
	value      TEXT NOT NULL CHECK (length(CAST(value AS BLOB)) <= 65536),
	updated_at TEXT NOT NULL                  -- UTC, ISO 8601
);
