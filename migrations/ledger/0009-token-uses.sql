-- What tokens with limits have used up.
CREATE TABLE token_uses (
	fingerprint TEXT PRIMARY KEY,           -- capabilities.fingerprint
	used        INTEGER NOT NULL DEFAULT 0, -- calls in all
	minute_ms   INTEGER NOT NULL DEFAULT 0, -- milliseconds since 1970 at which the current minute of the rate began
	in_minute   INTEGER NOT NULL DEFAULT 0  -- calls in it
) WITHOUT ROWID;
