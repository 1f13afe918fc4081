-- The few rows that compose blocks, found without reading the others: a change of a block changes their contracts.
CREATE INDEX directory_includes ON directory (includes, key) WHERE includes IS NOT NULL;
