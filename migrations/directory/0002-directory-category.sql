-- Grouping, and a place in the canonical order.
-- category: label by which rows are grouped and filtered.
ALTER TABLE directory ADD COLUMN category TEXT;
-- allowed_categories: agent rows: the categories whose rows the agent may see, comma-separated, or "*".
ALTER TABLE directory ADD COLUMN allowed_categories TEXT;
-- seq: pins the row to a position; rows with a seq come first, by it, then the others by key.
ALTER TABLE directory ADD COLUMN seq INTEGER;
