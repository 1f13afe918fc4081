-- Input and output of a call, kept for replay; may be pruned, its receipt stays.
CREATE TABLE payloads (
	n              INTEGER PRIMARY KEY,       -- invocations.n
	input          TEXT,                      -- as it was after redaction; NULL: not kept
	output         TEXT,                      -- the result; NULL: not kept
	input_redacted INTEGER NOT NULL DEFAULT 0, -- 1: a secret was removed from the input, so it cannot be replayed
	input_cut      INTEGER NOT NULL DEFAULT 0, -- 1: the input was longer than what is kept
	output_cut     INTEGER NOT NULL DEFAULT 0  -- 1: the output was longer than what is kept
);
