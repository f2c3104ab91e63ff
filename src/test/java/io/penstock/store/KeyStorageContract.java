package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests that every store of keys must pass. Names of keys begin with a prefix that is unique to
 * each test.
 */
abstract class KeyStorageContract {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** One instance of the gateway, as far as keys are concerned. */
  record Instance(KeyStorage storage, KeyRegistry keys) implements AutoCloseable {
    static Instance of(KeyStorage storage) {
      KeyRegistry keyRegistry = new KeyRegistry(new LocalLimitSource(), 60_000_000_000L);
      storage.follow(keyRegistry, Ticker.system());
      return new Instance(storage, keyRegistry);
    }

    boolean knows(String secret) {
      return keys.caller(secret, 1_800_000_000_000L) != null;
    }

    @Override
    public void close() {
      storage.close();
    }
  }

  private final String name = "key-" + NUMBER.incrementAndGet();
  private final String secret = KeySecrets.make();
  private final KeySpec key = key(name, secret);
  private Instance here;

  abstract KeyStorage open();

  @BeforeEach
  void start() {
    here = Instance.of(open());
  }

  @AfterEach
  void stop() {
    here.close();
  }

  static KeySpec key(String name, String secret) {
    return KeyTermsJson.plain(
        name, List.of(new KeySpec.Secret(KeySecrets.sha256(secret), KeySpec.NEVER)));
  }

  static KeyStore.Change done(CompletionStage<KeyStore.Change> change) {
    return change.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void keyAdded_isKnownHereAtOnceAndAfterARestart() {
    assertThat(done(here.storage().add(key))).isEqualTo(new KeyStore.Done(key));
    assertThat(here.knows(secret)).isTrue();
    try (Instance again = Instance.of(open())) {
      assertThat(again.knows(secret)).isTrue();
      assertThat(again.keys().find(name)).isEqualTo(key);
    }
  }

  @Test
  void nameThatIsTaken_changesNothing() {
    done(here.storage().add(key));
    String other = KeySecrets.make();
    assertThat(done(here.storage().add(key(name, other)))).isEqualTo(new KeyStore.NameTaken());
    assertThat(here.knows(other)).isFalse();
    assertThat(here.knows(secret)).isTrue();
  }

  @Test
  void secretThatIsTaken_changesNothing() {
    String next = KeySecrets.make();
    done(here.storage().add(key));
    done(here.storage().change(name, known -> known.rotated(known(next), 1)));
    for (String taken : List.of(secret, next)) {
      assertThat(done(here.storage().add(key(name + "-other", taken))))
          .isEqualTo(new KeyStore.SecretTaken());
    }
    assertThat(here.keys().find(name + "-other")).isNull();
  }

  private static KeySpec.Secret known(String secret) {
    return new KeySpec.Secret(KeySecrets.sha256(secret), KeySpec.NEVER);
  }

  @Test
  void keyChanged_isChangedFromWhatItWas() {
    done(here.storage().add(key));
    String next = KeySecrets.make();
    KeySpec rotated = key.rotated(known(next), Long.MAX_VALUE - 1);
    assertThat(
            done(
                here.storage()
                    .change(name, before -> before.rotated(known(next), Long.MAX_VALUE - 1))))
        .isEqualTo(new KeyStore.Done(rotated));
    assertThat(here.knows(secret)).isTrue();
    assertThat(here.knows(next)).isTrue();
    try (Instance again = Instance.of(open())) {
      assertThat(again.keys().find(name)).isEqualTo(rotated);
    }
  }

  @Test
  void editThatThrows_changesNothing() {
    done(here.storage().add(key));
    KeyTermsJson.Unclear unclear = new KeyTermsJson.Unclear("no");
    CompletionStage<KeyStore.Change> change =
        here.storage()
            .change(
                name,
                known -> {
                  throw unclear;
                });
    assertThat(change.toCompletableFuture())
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withCause(unclear);
    assertThat(done(here.storage().remove(name))).isEqualTo(new KeyStore.Done(key));
  }

  @Test
  void keyRemoved_isNobodys() {
    done(here.storage().add(key));
    assertThat(done(here.storage().remove(name))).isEqualTo(new KeyStore.Done(key));
    assertThat(here.knows(secret)).isFalse();
    assertThat(done(here.storage().remove(name))).isEqualTo(new KeyStore.NoSuchKey());
    assertThat(done(here.storage().change(name, known -> known)))
        .isEqualTo(new KeyStore.NoSuchKey());
  }

  @Test
  void namesThatDifferInCaseOrAccent_areDifferent() {
    for (String each : List.of("Ab-" + name, "ab-" + name, "áb-" + name)) {
      assertThat(done(here.storage().add(key(each, KeySecrets.make()))))
          .isInstanceOf(KeyStore.Done.class);
    }
  }

  @Test
  void otherInstance_knowsWhatWasChangedWithin10Seconds() {
    try (Instance there = Instance.of(open())) {
      done(here.storage().add(key));
      within10Seconds(() -> there.knows(secret));
      done(there.storage().remove(name));
      assertThat(there.knows(secret)).isFalse();
      within10Seconds(() -> !here.knows(secret));
    }
  }

  private static void within10Seconds(Callable<Boolean> so) {
    PatientWaits.within(Duration.ofSeconds(10), so);
  }

  @Test
  void changesOfManyInstancesAtOnce_areAllMade() {
    int each = 20;
    try (Instance there = Instance.of(open())) {
      done(here.storage().add(key));
      List<CompletionStage<KeyStore.Change>> changes = new ArrayList<>();
      for (int at = 0; at < each; at++) {
        changes.add(here.storage().change(name, KeyStorageContract::heavier));
        changes.add(there.storage().change(name, KeyStorageContract::heavier));
      }
      changes.forEach(change -> assertThat(done(change)).isInstanceOf(KeyStore.Done.class));
      done(here.storage().change(name, known -> known));
      assertThat(here.keys().find(name))
          .extracting(known -> known.rank().weight())
          .isEqualTo(1 + 2 * each);
    }
  }

  private static KeySpec heavier(KeySpec key) {
    return KeyTermsJson.changed(
        key, JsonMapper.shared().createObjectNode().put("weight", key.rank().weight() + 1));
  }

  @Test
  void closedStore_refusesChanges() {
    Instance gone = Instance.of(open());
    gone.close();
    assertThat(gone.storage().add(key).toCompletableFuture())
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withCauseInstanceOf(KeyStore.Lost.class);
  }
}
