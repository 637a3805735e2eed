-- Messages that may have ended a process: how often their handling was begun and not ended.
CREATE TABLE trials (
    service TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    message TEXT    NOT NULL,
    begun   INTEGER NOT NULL,
    PRIMARY KEY (service, key, message)
) STRICT, WITHOUT ROWID;
