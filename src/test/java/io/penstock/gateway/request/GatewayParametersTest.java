package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.KeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class GatewayParametersTest {
  private static final EndpointSpec.Reading STRICT =
      new EndpointSpec.Reading(Dialect.NONE, CostSource.QUERY, 1, 256, 1_000);
  private static final EndpointSpec.Reading LENIENT =
      new EndpointSpec.Reading(Dialect.NONE, CostSource.QUERY, 1, 256, 1_000, true);
  private static final long NOW_MILLIS = 1_700_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  private static GatewayParameters read(
      EndpointSpec.Reading reading, String query, String... headers) {
    HttpHeaders all = new HttpHeaders();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(headers[i], headers[i + 1]);
    }
    return GatewayParameters.of(query, all, reading, () -> NOW_MILLIS);
  }

  @Test
  void requestThatSaysNothing_leavesAllToTheEndpoint() {
    GatewayParameters nothing =
        GatewayParameters.of(null, new HttpHeaders(), STRICT, () -> NOW_MILLIS);
    assertThat(nothing)
        .isEqualTo(new GatewayParameters(null, WaitPatience.DEFAULT, 0, null, null, null, null))
        .isEqualTo(GatewayParameters.of(null, new HttpHeaders(), LENIENT, () -> NOW_MILLIS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "+1",
        "abc",
        "1.5",
        "NaN",
        "0x10",
        "1e3",
        "9223372036854775808",
        "1099511627777",
        "\u0661",
        "1_000",
        "1 "
      })
  void tokensThatAreNoCount_areAFault_orUnsaidWhereLenient(String tokens) {
    assertThat(read(STRICT, "", "X-Token-Cost", tokens).fault()).startsWith("tokens is not");
    GatewayParameters lenient = read(LENIENT, "", "X-Token-Cost", tokens);
    assertThat(lenient.fault()).isNull();
    assertThat(lenient.tokens()).isNull();
  }

  @ParameterizedTest
  @CsvSource({", 3", "5, 5", "6, 5", "99, 5", "0, 0", "-7, -7"})
  void priorityWithAKey_isItsOwnUnlessStated_andAtMostItsHighest(String stated, int expected) {
    HttpHeaders headers = new HttpHeaders();
    if (stated != null) {
      headers.set("X-Priority", stated);
    }
    KeySpec.Rank rank = new KeySpec.Rank(3, 5, 1);
    assertThat(GatewayParameters.of(null, headers, STRICT, rank, () -> NOW_MILLIS).priority())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "007, 7", "1099511627776, 1099511627776"})
  void tokensThatAreACount_areTaken(String tokens, long expected) {
    assertThat(read(STRICT, "tokens=" + tokens).tokens()).isEqualTo(expected);
    assertThat(read(STRICT, "", "X-Token-Cost", tokens).tokens()).isEqualTo(expected);
  }

  @Test
  void noTokensAtAll_areNoneOrUnsaidWhereLenient() {
    assertThat(read(STRICT, "tokens=0").tokens()).isZero();
    assertThat(read(LENIENT, "tokens=0").tokens()).isNull();
    assertThat(read(LENIENT, "tokens=5").tokens()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "-0", "NaN", "Infinity", "1e309", "1e3", "1,5", "5s", "0x1"})
  void timeoutThatIsNoNumber_isAFault_orUnsaidWhereLenient(String timeout) {
    assertThat(read(STRICT, "timeout=" + timeout).fault()).startsWith("timeout is not");
    GatewayParameters lenient = read(LENIENT, "timeout=" + timeout);
    assertThat(lenient.fault()).isNull();
    assertThat(lenient.patience()).isEqualTo(WaitPatience.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "2.5, 2500000000",
    "0.000000001, 1",
    "1000000000, 1000000000000000000",
    "999999999999999999, 1000000000000000000"
  })
  void timeout_isInSeconds_andHugeOnesAreJustLong(String timeout, long nanos) {
    assertThat(read(STRICT, "timeout=" + timeout).patience().timeoutNanos()).isEqualTo(nanos);
    assertThat(read(STRICT, "", "X-Timeout", timeout).patience().timeoutNanos()).isEqualTo(nanos);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1.5", "NaN", "high", "99999999999", "-99999999999", "2147483648"})
  void priorityThatIsNoInteger_isAFault_orTheDefaultWhereLenient(String priority) {
    assertThat(read(STRICT, "", "X-Priority", priority).fault()).startsWith("X-Priority is not");
    GatewayParameters lenient = read(LENIENT, "", "X-Priority", priority);
    assertThat(lenient.fault()).isNull();
    assertThat(lenient.priority()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "9, 9",
    "10, 9",
    "2147483647, 9",
    "-1, 0",
    "-2147483648, 0",
    "+3, 3",
    "007, 7"
  })
  void priority_staysWithinThoseOfClientsWithoutAKey(String priority, int expected) {
    assertThat(read(STRICT, "", "X-Priority", priority).priority()).isEqualTo(expected);
    assertThat(read(LENIENT, "", "X-Priority", priority).priority()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1700000000000, 0",
    "1699999999977, 23",
    "1700000000001, 0",
    "999999999999999999, 0",
    "0, 1700000000000"
  })
  void sentAt_tellsHowLongItWasOnItsWay(String sent, long millis) {
    assertThat(read(STRICT, "", "X-Sent-At", sent).latencyMillis()).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yesterday", "-5", "1.5", "9999999999999999999", "NaN"})
  void sentAtThatCannotBeRead_isUnsaid(String sent) {
    GatewayParameters read = read(STRICT, "", "X-Sent-At", sent);
    assertThat(read.latencyMillis()).isNull();
    assertThat(read.fault()).isNull();
  }

  @Test
  void statedTwice_isAFault_orTheFirstCountsWhereLenient() {
    assertThat(read(STRICT, "tokens=5&tokens=5").fault())
        .isEqualTo("tokens is stated more than once");
    assertThat(read(STRICT, "timeout=1&x=1&timeout=2").fault())
        .isEqualTo("timeout is stated more than once");
    assertThat(read(STRICT, "", "X-Priority", "1", "X-Priority", "2").fault())
        .isEqualTo("X-Priority is stated more than once");
    assertThat(read(LENIENT, "tokens=5&tokens=6").tokens()).isEqualTo(5);
    assertThat(read(LENIENT, "timeout=1&timeout=2").patience().timeoutNanos()).isEqualTo(SECOND);
    assertThat(read(LENIENT, "", "X-Priority", "1", "X-Priority", "2").priority()).isEqualTo(1);
  }

  @Test
  void query_winsOverTheHeader() {
    GatewayParameters read =
        read(STRICT, "tokens=5&timeout=1", "X-Token-Cost", "bad", "X-Timeout", "bad");
    assertThat(read.fault()).isNull();
    assertThat(read.tokens()).isEqualTo(5);
    assertThat(read.patience().timeoutNanos()).isEqualTo(SECOND);
  }
}
