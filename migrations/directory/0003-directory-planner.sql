-- What planners and typed projections need.
-- enabled: 0 hides the row everywhere and it does not run.
ALTER TABLE directory ADD COLUMN enabled INTEGER DEFAULT 1;
-- planner_visible: 0 keeps the row out of tool lists; it is still readable and callable by key.
ALTER TABLE directory ADD COLUMN planner_visible INTEGER DEFAULT 1;
-- planner_rank: weight in the choice among candidates, lower first.
ALTER TABLE directory ADD COLUMN planner_rank INTEGER DEFAULT 100;
-- input_schema: JSON Schema of the arguments, an object at its root.
ALTER TABLE directory ADD COLUMN input_schema TEXT;
-- examples: JSON array of worked argument strings, or of arrays of arguments.
ALTER TABLE directory ADD COLUMN examples TEXT;
