-- Questions in plain words that were answered with an ask_id, as long as a call may still be tied to them.
CREATE TABLE questions (
	n     INTEGER PRIMARY KEY,      -- order in which they came; the oldest are dropped
	id    TEXT NOT NULL UNIQUE,     -- "ask_…", chosen by the worker, sorts by time
	time  TEXT NOT NULL,            -- when it was asked, UTC, ISO 8601
	actor TEXT NOT NULL,            -- credential that asked: no other can teach with it
	words TEXT NOT NULL             -- its words, redacted, cut, in order and once each
);
CREATE INDEX questions_time ON questions (time);
-- What was learned: a question that led to a successful call of a row.
CREATE TABLE learned (
	n     INTEGER PRIMARY KEY,      -- the row's identity times 1,048,576, and a number that counts up within the row
	key   TEXT NOT NULL,            -- the row's key, for people: the identity decides
	actor TEXT NOT NULL,            -- credential that taught: of a token the one that the owner made
	time  TEXT NOT NULL,            -- when, UTC, ISO 8601
	words TEXT NOT NULL             -- questions.words
);
CREATE INDEX learned_time ON learned (time);
CREATE INDEX learned_actor ON learned (actor);
CREATE INDEX learned_key ON learned (key);
-- The same words, searchable; rowid is learned.n. Each statement that changes one table is followed by one for the other.
CREATE VIRTUAL TABLE learned_words USING fts5(words, tokenize = "porter unicode61 remove_diacritics 2");
-- Every place of a word: term, doc, col, offset.
CREATE VIRTUAL TABLE learned_places USING fts5vocab(learned_words, instance);
