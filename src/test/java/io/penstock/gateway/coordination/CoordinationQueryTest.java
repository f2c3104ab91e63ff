package io.penstock.gateway.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.coordination.Coordination;
import io.penstock.coordination.Kind;
import io.penstock.coordination.Operation;
import io.penstock.gateway.coordination.CoordinationQuery.BadQuery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinationQueryTest {
  private static final long MILLI = 1_000_000L;

  private static Operation of(Kind kind, String action, @Nullable String query) throws BadQuery {
    return new CoordinationQuery(query).operation(new CoordinationPath.Action(kind, "a", action));
  }

  @Test
  void unsaid_hasTheDefaultsOfTheContract() throws BadQuery {
    assertThat(of(Kind.TOKENBUCKET, "acquire", null))
        .isEqualTo(new Operation.TakeToken(1, 1_000 * MILLI));
    assertThat(of(Kind.SEMAPHORE, "acquire", ""))
        .isInstanceOfSatisfying(
            Operation.Acquire.class,
            acquire -> {
              assertThat(acquire.size()).isEqualTo(1);
              assertThat(acquire.expiresNanos()).isEqualTo(60_000 * MILLI);
              assertThat(acquire.key()).hasSize(36);
            });
    assertThat(of(Kind.EVENT, "send", null)).isEqualTo(new Operation.Send(""));
    assertThat(of(Kind.EVENT, "wait", null)).isEqualTo(new Operation.AwaitEvent());
    assertThat(of(Kind.WATCHDOG, "wait", null)).isEqualTo(new Operation.AwaitSilence());
    assertThat(of(Kind.WATCHDOG, "kick", null)).isEqualTo(new Operation.Kick(60_000 * MILLI));
    assertThat(of(Kind.COUNTER, "count", null)).isEqualTo(new Operation.Count(1));
    assertThat(of(Kind.COUNTER, "value", null)).isEqualTo(new Operation.Value());
    assertThat(of(Kind.COUNTER, "reset", null)).isEqualTo(new Operation.Reset(0));
    assertThat(of(Kind.BARRIER, "wait", null)).isEqualTo(new Operation.Arrive(2));
    assertThat(of(Kind.BARRIER, "stats", null)).isEqualTo(new Operation.Inspect(Kind.BARRIER));
    CoordinationQuery nothing = new CoordinationQuery(null);
    assertThat(nothing.maxWaitNanos(new Operation.AwaitEvent())).isEqualTo(Coordination.FOR_EVER);
    assertThat(nothing.id()).isEmpty();
  }

  @Test
  void said_isWhatIsDone() throws BadQuery {
    assertThat(of(Kind.TOKENBUCKET, "acquire", "size=0&interval=1&maxwait=5&id=me"))
        .isEqualTo(new Operation.TakeToken(0, MILLI));
    assertThat(of(Kind.SEMAPHORE, "acquire", "size=10&key=a%20b&expires=0"))
        .isEqualTo(new Operation.Acquire(10, "a b", 0));
    assertThat(of(Kind.SEMAPHORE, "release", "key=k")).isEqualTo(new Operation.Release("k"));
    assertThat(of(Kind.EVENT, "send", "message=a%0Ab+c")).isEqualTo(new Operation.Send("a\nb c"));
    assertThat(of(Kind.COUNTER, "count", "amount=-9223372036854775808"))
        .isEqualTo(new Operation.Count(Long.MIN_VALUE));
    assertThat(of(Kind.COUNTER, "reset", "value=%2B7")).isEqualTo(new Operation.Reset(7));
    CoordinationQuery query = new CoordinationQuery("maxWait=250&id=me");
    assertThat(query.maxWaitNanos(new Operation.Arrive(2))).isEqualTo(250 * MILLI);
    assertThat(query.maxWaitNanos(new Operation.Value())).isZero();
    assertThat(query.id()).isEqualTo("me");
  }

  @Test
  void knownParameterThatIsNotNeeded_isNotLookedAt() throws BadQuery {
    assertThat(of(Kind.SEMAPHORE, "release", "key=k&size=-1&maxwait=x"))
        .isEqualTo(new Operation.Release("k"));
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
  void badValue_isNamed_withWhatIsExpected(Kind kind, String action, String query, String why) {
    assertThatThrownBy(
            () -> {
              CoordinationQuery read = new CoordinationQuery(query);
              Operation operation = read.operation(new CoordinationPath.Action(kind, "a", action));
              read.maxWaitNanos(operation);
            })
        .isInstanceOf(BadQuery.class)
        .hasMessageContaining(why)
        .message()
        .hasLineCount(1);
  }

  @Test
  void texts_haveBounds() throws BadQuery {
    String key = "k".repeat(256);
    assertThat(of(Kind.SEMAPHORE, "release", "key=" + key)).isEqualTo(new Operation.Release(key));
    assertThatThrownBy(() -> of(Kind.SEMAPHORE, "acquire", "key=k" + key))
        .hasMessage("key has 257 characters, expected at most 256");
    String message = "m".repeat(8_192);
    assertThat(of(Kind.EVENT, "send", "message=" + message)).isEqualTo(new Operation.Send(message));
    assertThatThrownBy(() -> of(Kind.EVENT, "send", "message=m" + message))
        .hasMessage("message has 8193 characters, expected at most 8192");
    assertThatThrownBy(() -> new CoordinationQuery("id=" + "i".repeat(1_025)))
        .hasMessage("id has 1025 characters, expected at most 1024");
  }
}
