package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.KeyTermsJson;
import io.penstock.fake.PatientWaits;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore;
import io.penstock.key.KeyTerms;
import io.penstock.key.Revocation;
import io.penstock.quota.CallerAccount;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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

  private static final long CREATED = 1_790_000_000_000L;

  private final String name = "key-" + NUMBER.incrementAndGet();
  private final String secret = KeySecrets.make();
  private final KeySpec key = key(name, secret);
  private Instance here;
  private final AtomicLong clockMillis = new AtomicLong(CREATED);

  abstract KeyStorage open();

  /** Returns the wall time of all instances of a test. */
  long clockMillis() {
    return clockMillis.get();
  }

  @BeforeEach
  void start() {
    here = Instance.of(open());
  }

  @AfterEach
  void stop() {
    here.close();
  }

  static KeySpec key(String name, String secret) {
    return new KeySpec(
        name,
        List.of(new KeySpec.Secret(KeySecrets.sha256(secret), KeySpec.NEVER)),
        KeyTerms.PLAIN);
  }

  static KeyStore.Change done(CompletionStage<KeyStore.Change> change) {
    return PatientWaits.join(change);
  }

  @Test
  void keyAdded_isKnownHereAtOnceAndAfterARestart() {
    KeySpec added = created(key);
    assertThat(done(here.storage().add(key))).isEqualTo(new KeyStore.Done(added));
    assertThat(here.knows(secret)).isTrue();
    try (Instance again = Instance.of(open())) {
      assertThat(again.knows(secret)).isTrue();
      assertThat(again.keys().find(name)).isEqualTo(added);
    }
  }

  /** Returns a key as the store has it after it was created for the first time. */
  private static KeySpec created(KeySpec key) {
    return key.identifiedBy(new KeySpec.Identity(key.name(), CREATED));
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
    KeySpec rotated = created(key).rotated(known(next), Long.MAX_VALUE - 1);
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
        .failsWithin(PatientWaits.LONGEST)
        .withThrowableThat()
        .withCause(unclear);
    assertThat(done(here.storage().remove(name, Revocation.REFUSES_WAITING)))
        .isEqualTo(new KeyStore.Done(created(key)));
  }

  @Test
  void keyRemoved_isNobodys() {
    done(here.storage().add(key));
    assertThat(done(here.storage().remove(name, Revocation.REFUSES_WAITING)))
        .isEqualTo(new KeyStore.Done(created(key)));
    assertThat(here.knows(secret)).isFalse();
    assertThat(done(here.storage().remove(name, Revocation.REFUSES_WAITING)))
        .isEqualTo(new KeyStore.NoSuchKey());
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
      done(there.storage().remove(name, Revocation.REFUSES_WAITING));
      assertThat(there.knows(secret)).isFalse();
      within10Seconds(() -> !here.knows(secret));
    }
  }

  @Test
  void otherInstance_doesTheSameWithTheRequestsOfARevokedKey() {
    for (Revocation revocation : Revocation.values()) {
      String called = name + revocation;
      String known = KeySecrets.make();
      done(here.storage().add(key(called, known)));
      try (Instance there = Instance.of(open())) {
        CallerAccount account =
            Objects.requireNonNull(there.keys().caller(known, CREATED)).account();
        List<Boolean> told = new ArrayList<>();
        account.whenRevoked(told::add);
        done(here.storage().remove(called, revocation));
        within10Seconds(() -> !there.knows(known));
        boolean kept = revocation == Revocation.KEEPS_WAITING;
        within10Seconds(() -> (account.revoked() == null) == kept);
        assertThat(told)
            .isEqualTo(kept ? List.of() : List.of(revocation == Revocation.CUTS_RUNNING));
      }
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
          .extracting(known -> known.terms().rank().weight())
          .isEqualTo(1 + 2 * each);
    }
  }

  private static KeySpec heavier(KeySpec key) {
    int weight = key.terms().rank().weight() + 1;
    return key.with(
        KeyTermsJson.changed(
            key.terms(), JsonMapper.shared().createObjectNode().put("weight", weight)));
  }

  @Test
  void closedStore_refusesChanges() {
    Instance gone = Instance.of(open());
    gone.close();
    assertThat(gone.storage().add(key).toCompletableFuture())
        .failsWithin(PatientWaits.LONGEST)
        .withThrowableThat()
        .withCauseInstanceOf(KeyStore.Lost.class);
  }

  /** Creates the key with a new secret, and returns its identity. */
  private KeySpec.Identity add(KeyStorage storage) {
    if (done(storage.add(key(name, KeySecrets.make()))) instanceof KeyStore.Done(KeySpec made)) {
      assertThat(made.name()).isEqualTo(name);
      return made.identity();
    }
    throw new AssertionError("the key was not created");
  }

  private KeySpec.Identity add() {
    return add(here.storage());
  }

  private void revoke() {
    assertThat(done(here.storage().remove(name, Revocation.REFUSES_WAITING)))
        .isInstanceOf(KeyStore.Done.class);
  }

  @Test
  void keyCreatedAgainAfterItWasRevoked_hasTheInstantInItsIdentity_andKeepsIt() {
    assertThat(add()).isEqualTo(new KeySpec.Identity(name, CREATED));
    revoke();
    clockMillis.addAndGet(5);
    KeySpec.Identity second = add();
    assertThat(second).isEqualTo(new KeySpec.Identity(name + "@" + (CREATED + 5), CREATED + 5));
    clockMillis.addAndGet(5);
    String next = KeySecrets.make();
    done(here.storage().change(name, KeyStorageContract::heavier));
    done(here.storage().change(name, known -> known.rotated(known(next), 1)));
    try (Instance again = Instance.of(open())) {
      for (Instance each : List.of(here, again)) {
        KeySpec found = each.keys().find(name);
        assertThat(found).isNotNull();
        assertThat(found.identity()).isEqualTo(second);
        assertThat(found.terms().rank().weight()).isEqualTo(2);
        assertThat(each.knows(next)).isTrue();
      }
    }
    revoke();
    assertThat(add().limitOwner()).isEqualTo(name + "@" + (CREATED + 10));
  }

  @Test
  void keyCreatedAgainInTheSameMillisecondOrEarlier_hasAnotherIdentity() {
    Set<String> owners = new HashSet<>();
    for (long step : List.of(0L, 0L, -1_000_000L, -1L, 0L)) {
      clockMillis.addAndGet(step);
      assertThat(owners.add(add().limitOwner())).isTrue();
      revoke();
    }
    assertThat(owners)
        .containsExactlyInAnyOrder(
            name,
            name + "@" + (CREATED + 1),
            name + "@" + (CREATED + 2),
            name + "@" + (CREATED + 3),
            name + "@" + (CREATED + 4));
  }

  @Test
  void refusedCreation_usesNoIdentity() {
    done(here.storage().add(key));
    assertThat(done(here.storage().add(key(name, KeySecrets.make()))))
        .isEqualTo(new KeyStore.NameTaken());
    assertThat(done(here.storage().add(key(name + "-other", secret))))
        .isEqualTo(new KeyStore.SecretTaken());
    String other = KeySecrets.make();
    assertThat(done(here.storage().add(key(name + "-other", other))))
        .isEqualTo(new KeyStore.Done(created(key(name + "-other", other))));
  }

  @Test
  void otherInstance_knowsAKeyThatWasRevokedAndCreatedAgainByItsNewIdentity() {
    try (Instance there = Instance.of(open())) {
      done(there.storage().add(key));
      within10Seconds(() -> here.knows(secret));
      done(there.storage().remove(name, Revocation.REFUSES_WAITING));
      KeySpec.Identity second = add(there.storage());
      within10Seconds(
          () -> {
            KeySpec found = here.keys().find(name);
            return found != null && found.identity().equals(second);
          });
      assertThat(here.knows(secret)).isFalse();
    }
  }

  @Test
  void nameOfAKeyRevokedLongAgo_isAsIfItHadNeverBeenUsed() {
    add();
    revoke();
    clockMillis.addAndGet(KeyIdentities.KEPT_MILLIS);
    assertThat(add().limitOwner()).isNotEqualTo(name);
    revoke();
    clockMillis.addAndGet(KeyIdentities.KEPT_MILLIS + 1);
    assertThat(add()).isEqualTo(new KeySpec.Identity(name, clockMillis.get()));
  }

  @Test
  void nameThatIsTheIdentityOfAnotherKey_isAnotherKey() {
    add();
    revoke();
    String identity = add().limitOwner();
    assertThat(done(here.storage().remove(identity, Revocation.REFUSES_WAITING)))
        .isEqualTo(new KeyStore.NoSuchKey());
    String other = KeySecrets.make();
    if (done(here.storage().add(key(identity, other))) instanceof KeyStore.Done(KeySpec made)) {
      assertThat(made.name()).isEqualTo(identity);
      assertThat(made.identity().limitOwner()).startsWith(identity + "@");
    }
    assertThat(here.knows(other)).isTrue();
    revoke();
    assertThat(here.knows(other)).isTrue();
    assertThat(add().limitOwner()).isNotEqualTo(identity).startsWith(name + "@");
  }
}
