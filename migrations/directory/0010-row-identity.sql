-- Which row this is, beyond its key: a row that was deleted and created again under the same key is another one.
CREATE TABLE row_identity (
	key      TEXT PRIMARY KEY,      -- the row; absent when it is deleted
	identity INTEGER NOT NULL       -- events.seq of its creation
) WITHOUT ROWID;
