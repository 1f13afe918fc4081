-- The directory: one row is one thing that can be called. The six columns of the first day.
CREATE TABLE directory (
	key        TEXT PRIMARY KEY,    -- the name by which the row is called, [A-Za-z_][A-Za-z0-9_]{0,63}
	type       TEXT NOT NULL CHECK (type IN ('fn', 'http', 'agent', 'flow')), -- decides how target and content are read
	target     TEXT,                -- fn: function name; http: "METHOD url" or target_map; agent: model id; flow: empty
	auth       TEXT,                -- how to authenticate upstream: a form and the names of secrets, never a value
	content    TEXT,                -- docstring (leading # lines), then argument template, prompt or flow
	updated_at TEXT NOT NULL        -- time of the last write, UTC, ISO 8601
);
