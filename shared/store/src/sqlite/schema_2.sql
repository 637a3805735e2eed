-- Aggregates whose story is over: everything counts as handled, nothing is due.
ALTER TABLE aggregates ADD COLUMN retired INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1));
