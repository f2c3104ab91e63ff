package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.refusal.RetryAdvice;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that texts of refusals tell when what ran out comes back. */
class RefusalTextTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NIGHT = Instant.parse("2026-03-04T23:59:00.5Z").toEpochMilli();
  private static final String LIMIT = "key team-a: 3 requests a minute";

  private static String text(RefusalReason reason, long wait) {
    Refusal refusal = new Refusal(reason, LIMIT, wait);
    return RefusalJson.text(refusal, RetryAdvice.of(refusal, 59, NIGHT).at());
  }

  @Test
  void time_isThatOfUtc_roundedUp() {
    assertThat(text(RefusalReason.KEY_RPM, 35 * SECOND))
        .isEqualTo(LIMIT + ", next at 23:59:36 UTC");
  }

  @Test
  void anotherDay_hasItsDate_whateverRetryAfterAdvises() {
    assertThat(text(RefusalReason.KEY_RPD, 90 * SECOND))
        .isEqualTo(LIMIT + ", next at 2026-03-05 00:00:31 UTC");
  }

  @Test
  void noTimeKnown_tellsNone() {
    assertThat(text(RefusalReason.KEY_TPM, Refusal.UNKNOWN)).isEqualTo(LIMIT);
  }

  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void inAllDialects_whatComesBackTellsItsTime(RefusalReason reason) {
    Set<String> once = Set.of("KEY_CONCURRENCY", "QUEUE_FULL", "QUEUE_TIMEOUT");
    Refusal refusal = new Refusal(reason, LIMIT, 35 * SECOND);
    Instant at = Instant.parse("2026-03-04T23:59:35.5Z");
    for (ProviderProtocol each : DialectTable.ALL) {
      RefusalBody body = each.refusalBody(refusal, new RefusedCall("id", at, null, null));
      String text = new String(Objects.requireNonNull(body).bytes(), StandardCharsets.UTF_8);
      assertThat(text.contains("next at 23:59:36 UTC"))
          .as("%s in %s", reason, each.text())
          .isEqualTo(reason.comesBack());
    }
    assertThat(reason.comesBack() && once.contains(reason.name())).isFalse();
  }
}
