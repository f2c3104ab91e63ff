-- What regions tell each other of their limits. Names are percent-encoded, so that they are ASCII.
-- Times are Unix milliseconds by the clock of the region that wrote the row.

CREATE TABLE ratelimit_blocklist (
  workspace  VARCHAR(64)  NOT NULL,
  namespace  VARCHAR(32)  NOT NULL COMMENT 'the kind of limit, such as key-rpm',
  identifier VARCHAR(512) NOT NULL COMMENT 'whose it is, such as the name of the key',
  duration   BIGINT       NOT NULL COMMENT 'of the cell, in milliseconds',
  sequence   BIGINT       NOT NULL COMMENT 'which cell: floor(Unix milliseconds / duration)',
  region     VARCHAR(64)  NOT NULL COMMENT 'that was the first there to say no',
  `limit`    BIGINT       NOT NULL COMMENT 'so much was used of it at least',
  expires_at BIGINT       NOT NULL COMMENT '(sequence + 2) * duration',
  changed_at BIGINT       NOT NULL,
  PRIMARY KEY (workspace, namespace, identifier, duration, sequence, region),
  KEY changed (workspace, changed_at),
  KEY expires (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin;

CREATE TABLE ratelimit_counts (
  workspace  VARCHAR(64)  NOT NULL,
  namespace  VARCHAR(32)  NOT NULL COMMENT 'the kind of limit, such as key-rpm',
  identifier VARCHAR(512) NOT NULL COMMENT 'whose it is, such as the name of the key',
  duration   BIGINT       NOT NULL COMMENT 'of the cell, in milliseconds',
  sequence   BIGINT       NOT NULL COMMENT 'which cell: floor(Unix milliseconds / duration)',
  region     VARCHAR(64)  NOT NULL COMMENT 'that counted it',
  amount     BIGINT       NOT NULL COMMENT 'absolute: it only grows',
  expires_at BIGINT       NOT NULL COMMENT '(sequence + 2) * duration',
  changed_at BIGINT       NOT NULL COMMENT 'when it grew last',
  PRIMARY KEY (workspace, namespace, identifier, duration, sequence, region),
  KEY changed (workspace, changed_at),
  KEY expires (expires_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin;
