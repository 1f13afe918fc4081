-- sensitive: 1 marks a call of high risk: it passes the watcher, and only credentials for high risk reach it.
ALTER TABLE directory ADD COLUMN sensitive INTEGER DEFAULT 0;
