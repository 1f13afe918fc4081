-- Receipts may be pruned, oldest first and a whole seal at a time (ledger event RECEIPTS_SEAL): up to this mark and no further.
CREATE TABLE pruned (
	one  INTEGER PRIMARY KEY CHECK (one = 1), -- there is one record
	seal INTEGER NOT NULL,  -- ledger_events.seq of the last seal whose receipts are gone; 0: none is
	last INTEGER NOT NULL   -- and the last receipt that it covered
);
INSERT INTO pruned (one, seal, last) VALUES (1, 0, 0);
CREATE TRIGGER pruned_by_seals BEFORE UPDATE ON pruned
WHEN NOT EXISTS (SELECT 1 FROM ledger_events WHERE seq = NEW.seal AND action = 'RECEIPTS_SEAL'
	AND detail GLOB '{"first":' || (OLD.last + 1) || ',"last":' || NEW.last || ',*')
BEGIN SELECT raise(ABORT, 'receipts are pruned one seal after the other'); END;
CREATE TRIGGER pruned_no_delete BEFORE DELETE ON pruned BEGIN SELECT raise(ABORT, 'the mark of the prunes stays'); END;
DROP TRIGGER invocations_no_delete;
CREATE TRIGGER invocations_no_delete BEFORE DELETE ON invocations WHEN OLD.n > (SELECT last FROM pruned)
BEGIN SELECT raise(ABORT, 'receipts are deleted only when they are pruned'); END;
