-- journal_mode wal
PRAGMA user_version = 0;
CREATE TABLE penstock_key_meta (id INTEGER NOT NULL PRIMARY KEY, schema_version INTEGER NOT NULL, version BIGINT NOT NULL);
CREATE TABLE penstock_keys (name VARCHAR(200) NOT NULL PRIMARY KEY, sha256 CHAR(64) NOT NULL UNIQUE, previous_sha256 CHAR(64) UNIQUE, previous_until BIGINT, terms TEXT NOT NULL);
INSERT INTO penstock_key_meta (id, schema_version, version) VALUES (1, 1, 6);
INSERT INTO penstock_keys (name, sha256, previous_sha256, previous_until, terms) VALUES ('full', 'e3f400832b68883b87fd18c0014ec74d3b42aed88469253485a647ff53981418', NULL, NULL, '{"rate_limit_rpm":60,"rate_limit_tpm":10000,"rate_limit_rpd":1000,"max_concurrency":4,"budget_tokens_per_day":500000,"models":{"gpt-4o":{"rpm":5,"tpm":6}},"group":"team","allowed_models":["claude","gpt-4o"],"allowed_endpoints":["/anthropic","/openai"],"priority":3,"max_priority":5,"weight":2,"expires_at":"2030-01-02T03:04:05Z","on_limit":"wait","strict_after_denial":true,"sharing":"eventual"}');
INSERT INTO penstock_keys (name, sha256, previous_sha256, previous_until, terms) VALUES ('plain', '722aa643eb658f79ffef4c38d2f5e1bf476d169be26f339102ee031cb7d54c33', NULL, NULL, '{}');
INSERT INTO penstock_keys (name, sha256, previous_sha256, previous_until, terms) VALUES ('rotated', 'be58116cde72d25adf90fe532a177db4c5bba6dcca3a248c9e3deea1f2c1fe07', '1e64a7dc3611a2829f843f0b8ef2fd021136a6a86441e7f7d711cfd2f0a915dc', 1800000000000, '{}');
