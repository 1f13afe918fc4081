-- Calls made under an Idempotency-Key: who repeats one within the setting idempotency_keep is told what became of the first.
CREATE TABLE idempotency (
	claim      TEXT NOT NULL PRIMARY KEY,   -- SHA-256 in hex of the actor and the key
	request    TEXT NOT NULL,               -- SHA-256 in hex of the key and all that the call asks for
	invocation TEXT NOT NULL,               -- receipt to come, "inv_…"; of a call that waits for the owner "apr_…"
	claimed_ms INTEGER NOT NULL,            -- milliseconds since 1970
	result     TEXT                         -- what the call was answered; NULL: not yet, or it was too long to be kept
);
CREATE INDEX idempotency_claimed ON idempotency (claimed_ms);
