-- includes: keys of prompt blocks, comma-separated, composed in front of content when an agent row runs.
ALTER TABLE directory ADD COLUMN includes TEXT;
