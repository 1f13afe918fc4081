-- created_at: time at which the row was first written, UTC, ISO 8601; NULL on rows older than this column.
ALTER TABLE directory ADD COLUMN created_at TEXT;
