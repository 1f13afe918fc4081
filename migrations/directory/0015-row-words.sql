-- The words of every row, for questions in plain words: written in the same transaction as the row, by the statement
-- that the change brings. rowid is the row's identity, so that a row created anew under a key is another document.
-- Words are as directory/wording.c prepares them: keys split, characters of scripts without blanks in pairs.
CREATE VIRTUAL TABLE row_words USING fts5(
	key,            -- parts of the name
	what,           -- docstring: WHAT
	when_to_use,    -- docstring: WHEN_TO_USE
	args,           -- docstring: ARGS and INPUT; names, titles and descriptions of the schema's properties
	examples,       -- examples and docstring: EXAMPLE
	category,
	description,    -- the rest of the documentation
	tokenize = "porter unicode61 remove_diacritics 2"
);
-- Every place of a word (term, doc, col, offset), and every word with the number of rows that have it.
CREATE VIRTUAL TABLE row_places USING fts5vocab(row_words, instance);
CREATE VIRTUAL TABLE row_vocabulary USING fts5vocab(row_words, row);
-- The same names and first lines in pieces of three characters, for parts of words. rowid is the row's identity.
CREATE VIRTUAL TABLE row_parts USING fts5(text, tokenize = "trigram");
-- Rows that are older than this file: as they stand, until their next change.
INSERT INTO row_words (rowid, key, category, examples, description)
	SELECT i.identity, d.key, d.category, d.examples, d.content FROM directory AS d JOIN row_identity AS i USING (key);
INSERT INTO row_parts (rowid, text)
	SELECT i.identity, d.key || ' ' || coalesce(d.category, '') FROM directory AS d JOIN row_identity AS i USING (key);
