-- What running an input again needs, and what a receipt says of an older one.
ALTER TABLE payloads ADD COLUMN input_form TEXT; -- string: split on "|"; array, object: JSON text; NULL: written before this was recorded
ALTER TABLE intents ADD COLUMN input_form TEXT;
ALTER TABLE intents ADD COLUMN replays TEXT;
ALTER TABLE intents ADD COLUMN repairs TEXT;
ALTER TABLE invocations ADD COLUMN replays TEXT; -- receipt whose input this call ran again
ALTER TABLE invocations ADD COLUMN repairs TEXT; -- receipt that this call makes good
-- An older receipt finds by it the call that made it good.
CREATE INDEX invocations_repairs ON invocations (repairs) WHERE repairs IS NOT NULL AND ok = 1;
DROP TRIGGER intents_end;
CREATE TRIGGER intents_end AFTER INSERT ON invocations
WHEN EXISTS (SELECT 1 FROM intents WHERE invocation = NEW.id)
BEGIN
	INSERT INTO payloads (n, input, input_form, input_redacted, input_cut)
		SELECT NEW.n, input, input_form, input_redacted, input_cut FROM intents
		WHERE invocation = NEW.id AND NEW.status = 'unknown' AND input IS NOT NULL;
	DELETE FROM intents WHERE invocation = NEW.id;
END;
