package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.KeyTermsJson;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore;
import io.penstock.key.KeyTerms;
import io.penstock.key.Revocation;
import java.util.List;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Keys with fixed names, secrets and terms: one for each form in which keys are stored. */
final class StoredKeysContent {
  private static final long ROTATES_MILLIS = 1_800_000_000_000L;

  /** A value for each term that a key may have. */
  private static final String ALL_TERMS =
      """
      {"rpm": 60, "tpm": 10000, "rpd": 1000,
       "concurrency": 4, "budget_tokens_per_day": 500000, "max_output_tokens": 4000, "light_rpm": 300,
       "models": {"gpt-4o": {"rpm": 5, "tpm": 6}},
       "group": "team", "allowed_models": ["gpt-4o", "claude"],
       "allowed_endpoints": ["/openai", "/anthropic"], "priority": 3, "max_priority": 5,
       "weight": 2, "expires_at": "2030-01-02T03:04:05Z", "on_limit": "wait", "max_output": "cap",
       "strict_after_denial": true, "sharing": "eventual"}
      """;

  /** The time of the clock of the store. */
  static final long CREATED_MILLIS = 1_790_000_000_000L;

  private static final KeySpec PLAIN = key("plain", "secret of plain");
  private static final KeySpec FULL =
      key("full", "secret of full")
          .with(
              KeyTermsJson.changed(
                  KeyTerms.PLAIN, (ObjectNode) JsonMapper.shared().readTree(ALL_TERMS)));
  private static final KeySpec ROTATED =
      key("rotated", "first secret of rotated").rotated(next(), ROTATES_MILLIS);
  private static final KeySpec AGAIN =
      key("again", "second secret of again")
          .identifiedBy(new KeySpec.Identity("again@" + (CREATED_MILLIS + 1), CREATED_MILLIS + 1));

  private StoredKeysContent() {}

  private static KeySpec key(String name, String secret) {
    return KeyStorageContract.key(name, secret)
        .identifiedBy(new KeySpec.Identity(name, CREATED_MILLIS));
  }

  private static KeySpec.Secret next() {
    return new KeySpec.Secret(KeySecrets.sha256("second secret of rotated"), KeySpec.NEVER);
  }

  /** Adds, rotates and removes keys, so that each statement runs. */
  static void store(KeyStorage storage) {
    done(storage.add(PLAIN));
    done(storage.add(FULL));
    done(storage.add(KeyStorageContract.key("rotated", "first secret of rotated")));
    done(storage.change("rotated", key -> key.rotated(next(), ROTATES_MILLIS)));
    done(storage.add(KeyStorageContract.key("removed", "secret of removed")));
    done(storage.remove("removed", Revocation.REFUSES_WAITING));
    done(storage.add(KeyStorageContract.key("again", "first secret of again")));
    done(storage.remove("again", Revocation.REFUSES_WAITING));
    done(storage.add(KeyStorageContract.key("again", "second secret of again")));
  }

  private static void done(CompletionStage<KeyStore.Change> change) {
    assertThat(KeyStorageContract.done(change)).isInstanceOf(KeyStore.Done.class);
  }

  /** Asserts that a store has these keys unchanged. */
  static void assertIn(KeyStorage storage) {
    try (KeyStorageContract.Instance instance = KeyStorageContract.Instance.of(storage)) {
      for (KeySpec key : List.of(PLAIN, FULL, ROTATED, AGAIN)) {
        assertThat(instance.keys().find(key.name())).isEqualTo(key);
      }
      assertThat(instance.keys().find("removed")).isNull();
      assertThat(instance.knows("secret of full")).isTrue();
      assertThat(instance.knows("second secret of rotated")).isTrue();
      assertThat(instance.knows("secret of removed")).isFalse();
    }
  }
}
