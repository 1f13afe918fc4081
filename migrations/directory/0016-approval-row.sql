-- Which row a call was held for, and as whose step: another row of the same name is not that row, and a step is checked and counted as one.
ALTER TABLE approvals ADD COLUMN identity INTEGER NOT NULL DEFAULT 0; -- of the row, 0: it had none
ALTER TABLE approvals ADD COLUMN parent TEXT; -- receipt of the flow or agent whose step it is
