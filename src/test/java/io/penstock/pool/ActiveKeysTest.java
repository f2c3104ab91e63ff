package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests which key is the only one that sent something in the last minute. */
class ActiveKeysTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  private final ActiveKeys keys = new ActiveKeys(MINUTE);

  @Test
  void keyBesideWhichNobodySentAnything_isTheOnlyOne() {
    assertThat(keys.only("a", 0)).isTrue();
    keys.sent("a", 0);
    assertThat(keys.only("a", 0)).isTrue();
    assertThat(keys.only("b", 0)).isFalse();
  }

  @Test
  void keyIsActiveForAMinute() {
    keys.sent("b", 0);
    keys.sent("a", 1);
    assertThat(keys.only("a", MINUTE)).isFalse();
    assertThat(keys.only("a", MINUTE + 1)).isTrue();
    assertThat(keys.only("b", MINUTE + 1)).isFalse();
    assertThat(keys.only("b", MINUTE + 2)).isTrue();
  }

  @Test
  void noKey_isAKeyOfItsOwn() {
    keys.sent(ActiveKeys.name(null), 0);
    assertThat(keys.only(ActiveKeys.name("a"), 0)).isFalse();
    assertThat(keys.only(ActiveKeys.name(null), 0)).isTrue();
  }

  @Test
  void resultsAgreeWithARecordOfAllKeys_butForASecond() {
    Random random = new Random(7);
    Map<String, Long> latest = new HashMap<>();
    long now = 0;
    int only = 0;
    for (int step = 0; step < 100_000; step++) {
      now += random.nextLong(random.nextInt(40) == 0 ? 80 * SECOND : SECOND);
      String key = "k" + random.nextInt(4);
      String asked = "k" + random.nextInt(4);
      boolean surely = others(latest, asked, now, MINUTE);
      boolean perhaps = others(latest, asked, now, MINUTE - SECOND);
      boolean actual = keys.only(asked, now);
      assertThat(actual).as("at step %s", step).isIn(!surely, !perhaps);
      only += actual ? 1 : 0;
      keys.sent(key, now);
      latest.put(key, now);
    }
    assertThat(only).isBetween(100, 50_000);
  }

  /** Returns whether any other key than one sent something within a time. */
  private static boolean others(Map<String, Long> latest, String key, long now, long within) {
    return latest.entrySet().stream()
        .anyMatch(each -> !each.getKey().equals(key) && now - each.getValue() <= within);
  }
}
