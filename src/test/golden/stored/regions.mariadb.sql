CREATE TABLE `ratelimit_blocklist` (
  `workspace` varchar(64) NOT NULL,
  `namespace` varchar(32) NOT NULL COMMENT 'the kind of limit, such as key-rpm',
  `identifier` varchar(512) NOT NULL COMMENT 'whose it is, such as the name of the key',
  `duration` bigint(20) NOT NULL COMMENT 'of the cell, in milliseconds',
  `sequence` bigint(20) NOT NULL COMMENT 'which cell: floor(Unix milliseconds / duration)',
  `region` varchar(64) NOT NULL COMMENT 'that was the first there to say no',
  `limit` bigint(20) NOT NULL COMMENT 'so much was used of it at least',
  `expires_at` bigint(20) NOT NULL COMMENT '(sequence + 2) * duration',
  `changed_at` bigint(20) NOT NULL,
  PRIMARY KEY (`workspace`,`namespace`,`identifier`,`duration`,`sequence`,`region`),
  KEY `changed` (`workspace`,`changed_at`),
  KEY `expires` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=ascii COLLATE=ascii_bin;
CREATE TABLE `ratelimit_counts` (
  `workspace` varchar(64) NOT NULL,
  `namespace` varchar(32) NOT NULL COMMENT 'the kind of limit, such as key-rpm',
  `identifier` varchar(512) NOT NULL COMMENT 'whose it is, such as the name of the key',
  `duration` bigint(20) NOT NULL COMMENT 'of the cell, in milliseconds',
  `sequence` bigint(20) NOT NULL COMMENT 'which cell: floor(Unix milliseconds / duration)',
  `region` varchar(64) NOT NULL COMMENT 'that counted it',
  `amount` bigint(20) NOT NULL COMMENT 'absolute: it only grows',
  `expires_at` bigint(20) NOT NULL COMMENT '(sequence + 2) * duration',
  `changed_at` bigint(20) NOT NULL COMMENT 'when it grew last',
  PRIMARY KEY (`workspace`,`namespace`,`identifier`,`duration`,`sequence`,`region`),
  KEY `changed` (`workspace`,`changed_at`),
  KEY `expires` (`expires_at`)
) ENGINE=InnoDB DEFAULT CHARSET=ascii COLLATE=ascii_bin;
INSERT INTO ratelimit_blocklist (workspace, namespace, identifier, duration, sequence, region, `limit`, expires_at, changed_at) VALUES ('default', 'group-budget', '%C3%BC:m%2F1', 86400000, 19675, 'east', 9223372036854775807, 1700092800000, 1700000000000);
INSERT INTO ratelimit_blocklist (workspace, namespace, identifier, duration, sequence, region, `limit`, expires_at, changed_at) VALUES ('default', 'key-rpm', 'a', 60000, 28333333, 'east', 50, 1700000100000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'group-budget', 'a', 86400000, 19675, 'east', 4, 1700092800000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'group-rpd', 'a', 86400000, 19675, 'east', 4, 1700092800000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'group-rpm', 'a', 60000, 28333333, 'east', 3, 1700000100000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'group-tpm', 'a', 60000, 28333333, 'east', 3, 1700000100000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'key-budget', 'a', 86400000, 19675, 'east', 4, 1700092800000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'key-rpd', 'a', 86400000, 19675, 'east', 4, 1700092800000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'key-rpm', 'a', 60000, 28333333, 'east', 3, 1700000100000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'key-tpm', '%C3%BC%20a%3Ab%7C%27%25:m%2F1', 60000, 28333334, 'east', 9223372036854775807, 1700000160000, 1700000000000);
INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region, amount, expires_at, changed_at) VALUES ('default', 'key-tpm', 'a', 60000, 28333333, 'east', 3, 1700000100000, 1700000000000);
