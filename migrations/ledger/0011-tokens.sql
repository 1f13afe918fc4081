-- What models have counted for a call, with the calls that it made.
ALTER TABLE invocations ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE invocations ADD COLUMN tokens_out INTEGER NOT NULL DEFAULT 0;
