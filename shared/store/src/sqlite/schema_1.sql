-- Format 1. Services are kept by name, shards by number, instants in milliseconds.

CREATE TABLE aggregates (
    id      INTEGER PRIMARY KEY,
    service TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (service, key)
) STRICT;

CREATE TABLE journal (
    id        INTEGER PRIMARY KEY,
    aggregate INTEGER NOT NULL REFERENCES aggregates (id),
    version   INTEGER NOT NULL,
    entry     BLOB    NOT NULL,
    UNIQUE (aggregate, version)
) STRICT;

CREATE TABLE handled (
    aggregate INTEGER NOT NULL REFERENCES aggregates (id),
    message   TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    PRIMARY KEY (aggregate, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    aggregate INTEGER PRIMARY KEY REFERENCES aggregates (id),
    version   INTEGER NOT NULL,
    state     BLOB    NOT NULL
) STRICT;

CREATE TABLE deadlines (
    aggregate INTEGER NOT NULL REFERENCES aggregates (id),
    name      TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (aggregate, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX deadlines_by_time ON deadlines (at);

-- AUTOINCREMENT: a place is never given twice, also when the outbox has been empty.
-- Read as a whole when the store is opened, and from memory after that.
CREATE TABLE outbox (
    place      INTEGER PRIMARY KEY AUTOINCREMENT,
    service    TEXT    NOT NULL,
    shard      INTEGER NOT NULL,
    message    TEXT    NOT NULL,
    trace      TEXT    NOT NULL,
    to_service TEXT    NOT NULL,
    to_shard   INTEGER NOT NULL,
    key        TEXT    NOT NULL,
    body       TEXT    NOT NULL
) STRICT;

-- Written to by health checks, to see that writing works.
CREATE TABLE pulse (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    beats INTEGER NOT NULL
) STRICT;

INSERT INTO pulse VALUES (1, 0);
