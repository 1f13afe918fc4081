-- runner: label of what runs the row; only "exec" on a fn row changes what happens.
ALTER TABLE directory ADD COLUMN runner TEXT;
