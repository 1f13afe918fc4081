-- Every contract that a row ever had, by its digest, kept for ever: any digest in any receipt resolves.
CREATE TABLE contracts (
	digest   TEXT PRIMARY KEY,      -- SHA-256 in hex over the contract
	contract TEXT NOT NULL,         -- the contract, canonical JSON
	row      TEXT NOT NULL,         -- image of the row that first had it, canonical JSON
	time     TEXT NOT NULL          -- when it was first stored, UTC, ISO 8601
);
CREATE TRIGGER contracts_no_update BEFORE UPDATE ON contracts BEGIN SELECT raise(ABORT, 'contracts are never changed'); END;
CREATE TRIGGER contracts_no_delete BEFORE DELETE ON contracts BEGIN SELECT raise(ABORT, 'contracts are never deleted'); END;
