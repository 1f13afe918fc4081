-- Facts about the file itself.
CREATE TABLE meta (
	name  TEXT PRIMARY KEY,         -- probe: time of the last test whether the file can be written
	value TEXT NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = 0x52634c65; -- "RcLe", so that file(1) and a mixed-up configuration can tell the two files apart
