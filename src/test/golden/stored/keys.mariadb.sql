CREATE TABLE `penstock_key_meta` (
  `id` int(11) NOT NULL,
  `schema_version` int(11) NOT NULL,
  `version` bigint(20) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `penstock_keys` (
  `name` varchar(200) NOT NULL,
  `identity` varchar(200) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `sha256` char(64) NOT NULL,
  `previous_sha256` char(64) DEFAULT NULL,
  `previous_until` bigint(20) DEFAULT NULL,
  `terms` text NOT NULL,
  PRIMARY KEY (`name`),
  UNIQUE KEY `identity` (`identity`),
  UNIQUE KEY `sha256` (`sha256`),
  UNIQUE KEY `previous_sha256` (`previous_sha256`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `penstock_revoked_keys` (
  `identity` varchar(200) NOT NULL,
  `name` varchar(200) NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `revoked_at` bigint(20) NOT NULL,
  PRIMARY KEY (`identity`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE TABLE `penstock_revocations` (
  `identity` varchar(200) NOT NULL,
  `requests` varchar(20) NOT NULL,
  PRIMARY KEY (`identity`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO penstock_key_meta (id, schema_version, version) VALUES (1, 1, 9);
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('again', 'again@1790000000001', 1790000000001, '826ff0a55467212a105e071c8ae3218876f1f5d44cfc36a02d586f35f877750b', NULL, NULL, '{}');
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('full', 'full', 1790000000000, 'e3f400832b68883b87fd18c0014ec74d3b42aed88469253485a647ff53981418', NULL, NULL, '{"rpm":60,"tpm":10000,"rpd":1000,"concurrency":4,"budget_tokens_per_day":500000,"max_output_tokens":4000,"light_rpm":300,"models":{"gpt-4o":{"rpm":5,"tpm":6}},"group":"team","allowed_models":["claude","gpt-4o"],"allowed_endpoints":["/anthropic","/openai"],"priority":3,"max_priority":5,"weight":2,"expires_at":"2030-01-02T03:04:05Z","on_limit":"wait","max_output":"cap","strict_after_denial":true,"sharing":"eventual"}');
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('plain', 'plain', 1790000000000, '722aa643eb658f79ffef4c38d2f5e1bf476d169be26f339102ee031cb7d54c33', NULL, NULL, '{}');
INSERT INTO penstock_keys (name, identity, created_at, sha256, previous_sha256, previous_until, terms) VALUES ('rotated', 'rotated', 1790000000000, 'be58116cde72d25adf90fe532a177db4c5bba6dcca3a248c9e3deea1f2c1fe07', '1e64a7dc3611a2829f843f0b8ef2fd021136a6a86441e7f7d711cfd2f0a915dc', 1800000000000, '{}');
INSERT INTO penstock_revoked_keys (identity, name, created_at, revoked_at) VALUES ('again', 'again', 1790000000000, 1790000000000);
INSERT INTO penstock_revoked_keys (identity, name, created_at, revoked_at) VALUES ('removed', 'removed', 1790000000000, 1790000000000);
