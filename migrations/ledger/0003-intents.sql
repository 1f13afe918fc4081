-- Calls that have an effect outside and whose outcome is not recorded yet: written before they fire. The receipt takes the place of
-- the intent (trigger below). One whose process is gone becomes a receipt with status unknown.
CREATE TABLE intents (
	invocation           TEXT PRIMARY KEY,  -- id of the receipt to come
	time                 TEXT NOT NULL,     -- when it was about to fire, UTC, ISO 8601
	key                  TEXT NOT NULL,
	runner               TEXT NOT NULL,
	actor                TEXT NOT NULL,
	trace                TEXT NOT NULL,
	parent               TEXT,
	fingerprint_input    TEXT,
	fingerprint_contract TEXT,
	sensitive            INTEGER NOT NULL DEFAULT 0,
	on_behalf_of         TEXT,
	authorized_by        TEXT,
	input                TEXT,              -- for the payload of a receipt with unknown outcome; NULL: not kept
	input_redacted       INTEGER NOT NULL DEFAULT 0,
	input_cut            INTEGER NOT NULL DEFAULT 0,
	pid                  INTEGER NOT NULL   -- process that fires it, as the writer saw it (SO_PEERCRED)
) WITHOUT ROWID;
CREATE TRIGGER intents_end AFTER INSERT ON invocations
WHEN EXISTS (SELECT 1 FROM intents WHERE invocation = NEW.id)
BEGIN
	INSERT INTO payloads (n, input, input_redacted, input_cut)
		SELECT NEW.n, input, input_redacted, input_cut FROM intents
		WHERE invocation = NEW.id AND NEW.status = 'unknown' AND input IS NOT NULL;
	DELETE FROM intents WHERE invocation = NEW.id;
END;
