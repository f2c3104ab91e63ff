package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.quota.CallerAccount;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.sharing.SharingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyRegistryTest {
  private static final long NOW = 1_800_000_000_000L;

  private final KeyRegistry keyRegistry = new KeyRegistry(new LocalLimitSource(), 60_000_000_000L);

  private static KeySpec.Secret secret(String text, long until) {
    return new KeySpec.Secret(KeySecrets.sha256(text), until);
  }

  private static KeySpec key(String name, long expires, KeySpec.Secret... secrets) {
    return new KeySpec(
        name,
        List.of(secrets),
        new KeyTerms(
            KeySpec.Limits.NONE,
            Map.of(),
            null,
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            expires,
            KeySpec.LimitPolicy.PLAIN));
  }

  private static KeySpec key(String name, String secret) {
    return key(name, KeySpec.NEVER, secret(secret, KeySpec.NEVER));
  }

  private @Nullable String caller(String secret) {
    ApiCaller apiCaller = keyRegistry.caller(secret, NOW);
    return apiCaller == null ? null : apiCaller.spec().name();
  }

  private void files(KeySpec... all) {
    keyRegistry.configure(List.of(all), List.of(), 0);
  }

  @Test
  void storedKeyOfAGroupThatIsGone_isNamed() {
    GroupSpec team = new GroupSpec("team", 0, 0, 0, 0, 0);
    KeySpec alone = key("alone", "secret-a");
    keyRegistry.configure(List.of(), List.of(team), 0);
    keyRegistry.stored(List.of(alone, ofGroup("member", "team")), 0);
    assertThat(keyRegistry.withoutTheirGroup()).isEmpty();
    keyRegistry.configure(List.of(), List.of(), 0);
    assertThat(keyRegistry.withoutTheirGroup()).containsExactly("member");
  }

  private static KeySpec ofGroup(String name, String group) {
    return new KeySpec(
        name,
        List.of(secret(name, KeySpec.NEVER)),
        new KeyTerms(
            KeySpec.Limits.NONE,
            Map.of(),
            group,
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            KeySpec.NEVER,
            KeySpec.LimitPolicy.PLAIN));
  }

  @Test
  void keyOfFiles_isFoundByItsSecretAlone() {
    assertThat(keyRegistry.any()).isFalse();
    files(key("a", "secret-a"), key("b", "secret-b"));
    assertThat(keyRegistry.any()).isTrue();
    assertThat(caller("secret-a")).isEqualTo("a");
    assertThat(caller("secret-b")).isEqualTo("b");
    assertThat(caller("secret-c")).isNull();
    assertThat(caller("a")).isNull();
    assertThat(caller("")).isNull();
    assertThat(caller(KeySecrets.sha256("secret-a"))).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 257, 4_096})
  void secretOfAnyLength_isFound(int length) {
    for (String digit : List.of("x", "é", "\uD83D\uDD11")) {
      String secret = digit.repeat(length / digit.length() + 1).substring(0, length);
      files(key("long", secret));
      assertThat(caller(secret)).isEqualTo("long");
      assertThat(caller(secret.substring(1))).isNull();
    }
  }

  @Test
  void secretLongerThanAny_isNobodys() {
    String secret = "x".repeat(4_097);
    files(key("too long", secret));
    assertThat(caller(secret)).isNull();
  }

  @Test
  void keyThatIsLookedUp_wasUsedThen() {
    KeySpec used = key("used", "secret-u");
    files(used, key("idle", "secret-i"));
    assertThat(keyRegistry.usedAtMillis(used)).isZero();
    assertThat(keyRegistry.caller("secret-u", NOW)).isNotNull();
    assertThat(keyRegistry.usedAtMillis(used)).isEqualTo(NOW);
    assertThat(keyRegistry.caller("secret-u", NOW + 999)).isNotNull();
    assertThat(keyRegistry.usedAtMillis(used)).as("within the second").isEqualTo(NOW);
    assertThat(keyRegistry.caller("secret-u", NOW + 1_000)).isNotNull();
    assertThat(keyRegistry.usedAtMillis(used)).isEqualTo(NOW + 1_000);
    assertThat(keyRegistry.caller("secret-u", NOW - 5_000)).isNotNull();
    assertThat(keyRegistry.usedAtMillis(used)).as("the clock was set back").isEqualTo(NOW - 5_000);
    assertThat(keyRegistry.usedAtMillis(key("idle", "secret-i"))).isZero();
  }

  @Test
  void expiredKey_isNobodysFromThatInstantOn() {
    files(
        key("until now", NOW, secret("a", KeySpec.NEVER)),
        key("until then", NOW + 1, secret("b", KeySpec.NEVER)));
    assertThat(caller("a")).isNull();
    assertThat(caller("b")).isEqualTo("until then");
  }

  @Test
  void rotatedKey_isKnownByBothSecretsUntilTheOverlapEnds() {
    KeySpec before = key("a", "old");
    files(before.rotated(secret("new", KeySpec.NEVER), NOW + 1));
    assertThat(caller("old")).isEqualTo("a");
    assertThat(caller("new")).isEqualTo("a");
    files(before.rotated(secret("new", KeySpec.NEVER), NOW));
    assertThat(caller("old")).isNull();
    assertThat(caller("new")).isEqualTo("a");
  }

  @Test
  void keyRotatedAgain_forgetsTheSecretBeforeTheLast() {
    KeySpec once = key("a", "first").rotated(secret("second", KeySpec.NEVER), NOW + 10);
    files(once.rotated(secret("third", KeySpec.NEVER), NOW + 20));
    assertThat(caller("first")).isNull();
    assertThat(caller("second")).isEqualTo("a");
    assertThat(caller("third")).isEqualTo("a");
  }

  @Test
  void keyOfTheStore_countsUnlessAFileHasItsName() {
    files(key("a", "file-a"));
    keyRegistry.stored(List.of(key("b", "store-b"), key("a", "store-a")), 0);
    assertThat(caller("file-a")).isEqualTo("a");
    assertThat(caller("store-a")).isNull();
    assertThat(caller("store-b")).isEqualTo("b");
    files();
    assertThat(caller("store-a")).isEqualTo("a");
    assertThat(caller("file-a")).isNull();
  }

  @Test
  void secretOfAFileAndOfTheStore_isTheFiles() {
    keyRegistry.stored(List.of(key("of store", "same")), 0);
    files(key("of file", "same"));
    assertThat(caller("same")).isEqualTo("of file");
  }

  @Test
  void lastKeyOfTheStoreRevoked_stillNeedsOne() {
    keyRegistry.stored(key("a", "secret"), 0);
    keyRegistry.removed(key("a", "x"), Revocation.REFUSES_WAITING, 0);
    assertThat(caller("secret")).isNull();
    assertThat(keyRegistry.any()).isTrue();
  }

  @Test
  void keyOfTheStoreChanged_isTheNewOne() {
    keyRegistry.stored(List.of(key("a", "one"), key("c", "three")), 0);
    keyRegistry.stored(key("b", "two"), 0);
    keyRegistry.stored(key("a", "other"), 0);
    assertThat(caller("one")).isNull();
    assertThat(caller("other")).isEqualTo("a");
    assertThat(keyRegistry.list("", 10)).extracting(KeySpec::name).containsExactly("a", "b", "c");
  }

  @Test
  void list_isByNamePageByPage() {
    files(key("b", "1"), key("d", "2"));
    keyRegistry.stored(List.of(key("a", "3"), key("b", "4"), key("c", "5"), key("e", "6")), 0);
    List<String> seen = new ArrayList<>();
    String after = "";
    for (List<KeySpec> page = keyRegistry.list(after, 2);
        !page.isEmpty();
        page = keyRegistry.list(after, 2)) {
      assertThat(page).hasSizeLessThanOrEqualTo(2);
      page.forEach(key -> seen.add(key.name()));
      after = page.getLast().name();
    }
    assertThat(seen).containsExactly("a", "b", "c", "d", "e");
    assertThat(Objects.requireNonNull(keyRegistry.find("b")).secrets())
        .containsExactly(secret("1", KeySpec.NEVER));
    assertThat(keyRegistry.find("f")).isNull();
  }

  @Test
  void everyOfManyKeys_isFoundAndNobodyElse() {
    int many = 20_000;
    List<KeySpec> all = new ArrayList<>();
    for (int at = 0; at < many; at++) {
      all.add(key("key-" + at, "secret-" + at));
    }
    keyRegistry.stored(all, 0);
    for (int at = 0; at < many; at++) {
      assertThat(caller("secret-" + at)).isEqualTo("key-" + at);
      assertThat(caller("nobody-" + at)).isNull();
    }
  }

  @Test
  void lookUpsWhileKeysChange_seeOneStateOrTheOther() throws Exception {
    keyRegistry.stored(List.of(key("stays", "stays")), 0);
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch looking = new CountDownLatch(2);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Runnable looks =
          () -> {
            looking.countDown();
            while (!over.get()) {
              assertThat(caller("stays")).isEqualTo("stays");
              assertThat(caller("nobody")).isNull();
            }
          };
      List<Future<?>> all = List.of(threads.submit(looks), threads.submit(looks));
      looking.await();
      for (int at = 0; at < 500; at++) {
        keyRegistry.stored(key("other-" + at, "other-" + at), 0);
        assertThat(caller("other-" + at)).isEqualTo("other-" + at);
        keyRegistry.removed(key("other-" + at, "x"), Revocation.REFUSES_WAITING, 0);
      }
      over.set(true);
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  @Test
  void secretsAndKeys_showNoSecret() {
    KeySpec key = key("a", "secret");
    String digest = KeySecrets.sha256("secret");
    assertThat(key.toString() + key.secrets() + keyRegistry.caller("secret", NOW))
        .doesNotContain("secret\"", digest, digest.substring(0, 8));
    assertThat(key.secrets().getFirst().sha256()).isEqualTo(digest);
  }

  @Test
  void secretsAndKeys_areShownByTheirNames() {
    KeySpec key = key("a", "secret");
    assertThat(key).hasToString("KeySpec[a]");
    assertThat(key.secrets().getFirst()).hasToString("Secret[…]");
  }

  @Test
  void keyThatWasFound_isNobodysOnceItExpires() {
    files(key("a", NOW + 1, secret("a", KeySpec.NEVER)));
    assertThat(keyRegistry.caller("a", NOW)).isNotNull();
    assertThat(keyRegistry.caller("a", NOW + 1)).isNull();
  }

  @Test
  void keyOfAnyOrigin_isFoundByItsName() {
    files(key("of file", "1"));
    assertThat(keyRegistry.find("of file")).isSameAs(keyRegistry.ofFiles("of file")).isNotNull();
    assertThat(keyRegistry.find("of store")).isNull();
    keyRegistry.stored(key("of store", "2"), 0);
    assertThat(keyRegistry.find("of store")).isNotNull();
    assertThat(keyRegistry.ofFiles("of store")).isNull();
  }

  @Test
  void secretOfAFile_isKnownAsOne() {
    files(key("a", KeySpec.NEVER, secret("new", KeySpec.NEVER), secret("old", NOW)));
    keyRegistry.stored(key("b", "stored"), 0);
    assertThat(keyRegistry.inFiles(secret("old", KeySpec.NEVER))).isTrue();
    assertThat(keyRegistry.inFiles(secret("new", KeySpec.NEVER))).isTrue();
    assertThat(keyRegistry.inFiles(secret("stored", KeySpec.NEVER))).isFalse();
  }

  @Test
  void changeOfTheStore_isTold_andThatOfFilesIsNot() {
    AtomicInteger told = new AtomicInteger();
    keyRegistry.whenChanged(told::incrementAndGet);
    files(key("a", "1"));
    assertThat(told).hasValue(0);
    keyRegistry.stored(key("b", "2"), 0);
    assertThat(told).hasValue(1);
    keyRegistry.removed(key("b", "x"), Revocation.REFUSES_WAITING, 0);
    assertThat(told).hasValue(2);
  }

  private static KeySpec again(String name, String secret) {
    return key(name, secret).identifiedBy(new KeySpec.Identity(name + "@5", 5));
  }

  private CallerAccount account(String secret) {
    ApiCaller apiCaller = keyRegistry.caller(secret, NOW);
    assertThat(apiCaller).isNotNull();
    return apiCaller.account();
  }

  @Test
  void storedKeyRotatedOrChanged_keepsItsAccount_andOneCreatedAgainHasAnother() {
    keyRegistry.stored(key("a", "first"), 0);
    CallerAccount first = account("first");
    keyRegistry.stored(key("a", "rotated"), 0);
    assertThat(account("rotated")).isSameAs(first);
    keyRegistry.stored(List.of(again("a", "second")), 0);
    CallerAccount second = account("second");
    assertThat(second).isNotSameAs(first);
    keyRegistry.stored(again("a", "rotated again"), 0);
    assertThat(account("rotated again")).isSameAs(second);
  }

  /** A key of route files and the first stored key of a name are one key that moved. */
  @Test
  void keyThatMovesBetweenFilesAndStore_keepsItsAccount_unlessItWasRevokedBefore() {
    keyRegistry.stored(List.of(), 0);
    files(key("a", "of files"));
    CallerAccount ofFiles = account("of files");
    ofFiles.enter();
    files();
    keyRegistry.stored(key("a", "stored"), 0);
    assertThat(account("stored")).isSameAs(ofFiles);
    files(key("a", "of files again"));
    assertThat(account("of files again")).isSameAs(ofFiles);
    keyRegistry.removed(key("a", "x"), Revocation.REFUSES_WAITING, 0);
    keyRegistry.stored(again("a", "second"), 0);
    assertThat(keyRegistry.caller("second", NOW)).isNull();
    assertThat(account("of files again")).isSameAs(ofFiles);
    files();
    assertThat(account("second")).isNotSameAs(ofFiles);
    ofFiles.leave();
  }

  @Test
  void keyOfFilesThatIsCalledAsTheIdentityOfAStoredKey_winsLikeOneOfItsName() {
    keyRegistry.stored(List.of(again("a", "stored")), 0);
    files(key("a@5", "of files"));
    assertThat(caller("of files")).isEqualTo("a@5");
    assertThat(caller("stored")).isNull();
    files();
    assertThat(caller("stored")).isEqualTo("a");
  }

  @Test
  void keyCreatedAgainWithTheSameSecret_hasAnotherAccount() {
    keyRegistry.stored(key("a", "imported"), 0);
    CallerAccount first = account("imported");
    keyRegistry.removed(key("a", "x"), Revocation.REFUSES_WAITING, 0);
    keyRegistry.stored(again("a", "imported"), 0);
    assertThat(account("imported")).isNotSameAs(first);
  }

  @Test
  void sharing_isFoundByTheOwnerOfTheLimits() {
    KeySpec shared =
        new KeySpec(
                "a",
                List.of(secret("s", KeySpec.NEVER)),
                new KeyTerms(
                    KeySpec.Limits.NONE,
                    Map.of(),
                    null,
                    KeySpec.Scope.ALL,
                    KeySpec.Rank.PLAIN,
                    KeySpec.NEVER,
                    new KeySpec.LimitPolicy(false, 100, false, SharingMode.EVENTUAL, null)))
            .identifiedBy(new KeySpec.Identity("a@5", 5));
    keyRegistry.stored(shared, 0);
    assertThat(keyRegistry.sharing("a@5")).isEqualTo(SharingMode.EVENTUAL);
    assertThat(keyRegistry.sharing("a")).isNull();
    files(key("a", "of files"));
    assertThat(keyRegistry.sharing("a@5")).as("of a key that does not count").isNull();
  }
}
