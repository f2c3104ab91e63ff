package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.gateway.coordination.CoordinationQuery.BadQuery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinationQueryTest {
  private static final long MILLI = 1_000_000L;

  private static ObjectOperation of(ObjectKind kind, String action, @Nullable String query)
      throws BadQuery {
    return new CoordinationQuery(query).operation(new CoordinationPath.Action(kind, "a", action));
  }

  @Test
  void unsaid_hasTheDefaultsOfTheContract() throws BadQuery {
    assertThat(of(ObjectKind.TOKENBUCKET, "acquire", null))
        .isEqualTo(new ObjectOperation.TakeToken(1, 1_000 * MILLI));
    assertThat(of(ObjectKind.SEMAPHORE, "acquire", ""))
        .isInstanceOfSatisfying(
            ObjectOperation.Acquire.class,
            acquire -> {
              assertThat(acquire.size()).isEqualTo(1);
              assertThat(acquire.expiresNanos()).isEqualTo(60_000 * MILLI);
              assertThat(acquire.key()).hasSize(36);
            });
    assertThat(of(ObjectKind.EVENT, "send", null)).isEqualTo(new ObjectOperation.Send(""));
    assertThat(of(ObjectKind.EVENT, "wait", null)).isEqualTo(new ObjectOperation.AwaitEvent());
    assertThat(of(ObjectKind.WATCHDOG, "wait", null)).isEqualTo(new ObjectOperation.AwaitSilence());
    assertThat(of(ObjectKind.WATCHDOG, "kick", null))
        .isEqualTo(new ObjectOperation.Kick(60_000 * MILLI));
    assertThat(of(ObjectKind.COUNTER, "count", null)).isEqualTo(new ObjectOperation.Count(1));
    assertThat(of(ObjectKind.COUNTER, "value", null)).isEqualTo(new ObjectOperation.Value());
    assertThat(of(ObjectKind.COUNTER, "reset", null)).isEqualTo(new ObjectOperation.Reset(0));
    assertThat(of(ObjectKind.BARRIER, "wait", null)).isEqualTo(new ObjectOperation.Arrive(2));
    assertThat(of(ObjectKind.BARRIER, "stats", null))
        .isEqualTo(new ObjectOperation.Inspect(ObjectKind.BARRIER));
    CoordinationQuery nothing = new CoordinationQuery(null);
    assertThat(nothing.maxWaitNanos(new ObjectOperation.AwaitEvent()))
        .isEqualTo(CoordinationService.FOR_EVER);
    assertThat(nothing.id()).isEmpty();
  }

  @Test
  void said_isWhatIsDone() throws BadQuery {
    assertThat(of(ObjectKind.TOKENBUCKET, "acquire", "size=0&interval=1&maxwait=5&id=me"))
        .isEqualTo(new ObjectOperation.TakeToken(0, MILLI));
    assertThat(of(ObjectKind.SEMAPHORE, "acquire", "size=10&key=a%20b&expires=0"))
        .isEqualTo(new ObjectOperation.Acquire(10, "a b", 0));
    assertThat(of(ObjectKind.SEMAPHORE, "release", "key=k"))
        .isEqualTo(new ObjectOperation.Release("k"));
    assertThat(of(ObjectKind.EVENT, "send", "message=a%0Ab+c"))
        .isEqualTo(new ObjectOperation.Send("a\nb c"));
    assertThat(of(ObjectKind.COUNTER, "count", "amount=-9223372036854775808"))
        .isEqualTo(new ObjectOperation.Count(Long.MIN_VALUE));
    assertThat(of(ObjectKind.COUNTER, "reset", "value=%2B7"))
        .isEqualTo(new ObjectOperation.Reset(7));
    CoordinationQuery query = new CoordinationQuery("maxWait=250&id=me");
    assertThat(query.maxWaitNanos(new ObjectOperation.Arrive(2))).isEqualTo(250 * MILLI);
    assertThat(query.maxWaitNanos(new ObjectOperation.Value())).isZero();
    assertThat(query.id()).isEqualTo("me");
  }

  @Test
  void knownParameterThatIsNotNeeded_isNotLookedAt() throws BadQuery {
    assertThat(of(ObjectKind.SEMAPHORE, "release", "key=k&size=-1&maxwait=x"))
        .isEqualTo(new ObjectOperation.Release("k"));
  }

  @ParameterizedTest
  @CsvSource({
    "TOKENBUCKET, acquire, size=-1, 'size is ''-1'', expected a whole number from 0 to 1000000000'",
    "TOKENBUCKET, acquire, size=1000000001, expected a whole number",
    "TOKENBUCKET, acquire, size=1.5, expected a whole number",
    "TOKENBUCKET, acquire, size=, expected a whole number",
    "TOKENBUCKET, acquire, interval=0, from 1 to",
    "SEMAPHORE, acquire, expires=1e9999, 'expires is ''1e9999'', expected a whole number'",
    "SEMAPHORE, acquire, expires=99999999999999999999, expected a whole number",
    "SEMAPHORE, acquire, key=%00, control character",
    "SEMAPHORE, release, id=x, 'key is missing, expected what acquire answered'",
    "SEMAPHORE, release, key=, key is empty",
    "EVENT, wait, maxwait=-2, 'maxwait is ''-2'', expected a whole number from -1 to'",
    "EVENT, wait, size=1&size=1, size is stated more than once",
    "EVENT, wait, siz=1, parameter 'siz' is not known",
    "EVENT, wait, id=%zz, the query is not percent-encoded",
    "COUNTER, count, amount=9223372036854775808, expected a whole number",
  })
  void badValue_isNamed_withWhatIsExpected(
      ObjectKind kind, String action, String query, String why) {
    assertThatThrownBy(
            () -> {
              CoordinationQuery read = new CoordinationQuery(query);
              ObjectOperation objectOperation =
                  read.operation(new CoordinationPath.Action(kind, "a", action));
              read.maxWaitNanos(objectOperation);
            })
        .isInstanceOf(BadQuery.class)
        .hasMessageContaining(why)
        .message()
        .hasLineCount(1);
  }

  @Test
  void texts_haveBounds() throws BadQuery {
    String key = "k".repeat(256);
    assertThat(of(ObjectKind.SEMAPHORE, "release", "key=" + key))
        .isEqualTo(new ObjectOperation.Release(key));
    assertThatThrownBy(() -> of(ObjectKind.SEMAPHORE, "acquire", "key=k" + key))
        .hasMessage("key has 257 characters, expected at most 256");
    String message = "m".repeat(8_192);
    assertThat(of(ObjectKind.EVENT, "send", "message=" + message))
        .isEqualTo(new ObjectOperation.Send(message));
    assertThatThrownBy(() -> of(ObjectKind.EVENT, "send", "message=m" + message))
        .hasMessage("message has 8193 characters, expected at most 8192");
    assertThatThrownBy(() -> new CoordinationQuery("id=" + "i".repeat(1_025)))
        .hasMessage("id has 1025 characters, expected at most 1024");
  }
}
