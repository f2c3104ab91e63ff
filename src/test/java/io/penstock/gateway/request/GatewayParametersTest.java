package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.cost.ExcessOutput;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.ShortParameter;
import io.penstock.key.KeySpec;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class GatewayParametersTest {
  private static final EndpointSpec.Reading STRICT =
      reading(DialectTable.NONE, CostSource.QUERY, false, true);
  private static final EndpointSpec.Reading LENIENT =
      reading(DialectTable.NONE, CostSource.QUERY, true, true);

  /** Reading of an endpoint with upstreams, as it is by default. */
  private static final EndpointSpec.Reading PROXIED =
      reading(DialectTable.OPENAI, CostSource.BODY, false, false);

  private static final Set<String> ALL_SHORT =
      Set.of("x-token-cost", "x-timeout", "x-priority", "x-sent-at");
  private static final long NOW_MILLIS = 1_700_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  private static EndpointSpec.Reading reading(
      Dialect dialect, CostSource costFrom, boolean lenient, boolean shortParameters) {
    EndpointSpec.Parameters parameters = new EndpointSpec.Parameters(lenient, shortParameters);
    return new EndpointSpec.Reading(
        dialect, costFrom, 1, 256, 1_000, 1_000, parameters, ExcessOutput.REFUSE);
  }

  private static GatewayParameters read(
      EndpointSpec.Reading reading, String query, String... headers) {
    HttpHeaders all = new HttpHeaders();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(headers[i], headers[i + 1]);
    }
    return GatewayParameters.of(query, all, reading, null, () -> NOW_MILLIS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Claude-Code-Session-Id",
        "session_id",
        "session-id",
        "x-opencode-session",
        "x-session-affinity",
        "X-Session-Id"
      })
  void sessionOfAnAgent_isRead_upToABound(String name) {
    HttpHeaders headers = new HttpHeaders();
    headers.add(name, "s1");
    assertThat(GatewayParameters.of(null, headers, STRICT, null, () -> NOW_MILLIS).session())
        .isEqualTo("s1");
    headers.set(name, "s".repeat(1_000));
    assertThat(GatewayParameters.of(null, headers, STRICT, null, () -> NOW_MILLIS).session())
        .hasSize(200);
  }

  @Test
  void requestThatSaysNothing_leavesAllToTheEndpoint() {
    GatewayParameters nothing =
        GatewayParameters.of(null, new HttpHeaders(), STRICT, null, () -> NOW_MILLIS);
    assertThat(nothing)
        .isEqualTo(
            new GatewayParameters(
                null, WaitPatience.DEFAULT, 0, null, "", null, null, ALL_SHORT, Set.of(), null))
        .isEqualTo(GatewayParameters.of(null, new HttpHeaders(), LENIENT, null, () -> NOW_MILLIS));
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

  /** Seconds as the providers' libraries write them, and what remains of them in milliseconds. */
  @ParameterizedTest
  @CsvSource({
    "x-stainless-timeout, 12, 11000",
    "x-stainless-read-timeout, 12.0, 11000",
    "x-stainless-read-timeout, 2.3333333333333335, 1333",
    "X-Server-Timeout, 12, 11000",
    "X-Server-Timeout, 1, 0",
    "x-stainless-timeout, 0, 0"
  })
  void timeoutOfTheClientLibrary_boundsWhatItWaits_lessASecondForTheAnswer(
      String header, String seconds, long millis) {
    WaitPatience patience = read(PROXIED, null, header, seconds).patience();
    assertThat(patience.timeoutNanos()).isEqualTo(WaitPatience.UNSTATED);
    assertThat(patience.clientNanos() / 1_000_000).isEqualTo(millis);
  }

  @Test
  void severalTimeoutsOfTheClient_theShortestCounts_andWhatCannotBeReadIsIgnored() {
    GatewayParameters all =
        read(
            PROXIED,
            null,
            "x-stainless-timeout",
            "600",
            "x-stainless-read-timeout",
            "30.0",
            "X-Server-Timeout",
            "soon");
    assertThat(all.fault()).isNull();
    assertThat(all.patience().clientNanos()).isEqualTo(29 * SECOND);
    assertThat(read(PROXIED, null, "x-stainless-read-timeout", "None").patience())
        .isEqualTo(WaitPatience.DEFAULT);
  }

  @Test
  void timeoutOfTheClient_refusesByEstimateWhatCannotMakeIt_unlessEstimatesAreSkipped() {
    WaitPatience client = new WaitPatience(WaitPatience.UNSTATED, 11 * SECOND);
    assertThat(client.refusesAbove(0)).isEqualTo(11 * SECOND);
    assertThat(client.refusesAbove(30 * SECOND)).isEqualTo(11 * SECOND);
    assertThat(client.refusesAbove(5 * SECOND)).isEqualTo(5 * SECOND);
    assertThat(new WaitPatience(0, 11 * SECOND).refusesAbove(30 * SECOND)).isZero();
    assertThat(new WaitPatience(WaitPatience.UNSTATED, 0).refusesAbove(0)).isEqualTo(1);
    assertThat(WaitPatience.DEFAULT.refusesAbove(30 * SECOND)).isEqualTo(30 * SECOND);
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

  @Test
  void longNames_areReadAtEveryEndpoint() {
    for (EndpointSpec.Reading reading : List.of(PROXIED, STRICT, LENIENT)) {
      GatewayParameters read =
          read(
              reading,
              null,
              "x-penstock-tokens",
              "7",
              "X-Penstock-Timeout",
              "2.5",
              "X-PENSTOCK-PRIORITY",
              "4",
              "x-penStock-sent-AT",
              "1699999999977");
      assertThat(read.fault()).isNull();
      assertThat(read.tokens()).isEqualTo(7);
      assertThat(read.patience().timeoutNanos()).isEqualTo(2_500_000_000L);
      assertThat(read.priority()).isEqualTo(4);
      assertThat(read.latencyMillis()).isEqualTo(23);
      assertThat(read.ignored()).isEmpty();
    }
  }

  @Test
  void shortNames_whereTheyAreNotRead_areLeftToTheUpstreamAndNamed() {
    String query = "timeout=soon&tokens=x&a=1&tokens=3";
    GatewayParameters read =
        read(
            PROXIED,
            query,
            "X-Token-Cost",
            "bad",
            "X-Timeout",
            "1",
            "x-priority",
            "9",
            "X-Sent-At",
            "1");
    assertThat(read)
        .isEqualTo(
            new GatewayParameters(
                null,
                WaitPatience.DEFAULT,
                0,
                null,
                "",
                query,
                null,
                Set.of(),
                Set.of(ShortParameter.values()),
                null));
  }

  @Test
  void shortPriority_whereItIsNotRead_isNotThatOfAKeyEither() {
    HttpHeaders headers = new HttpHeaders();
    headers.set("X-Priority", "5");
    KeySpec.Rank rank = new KeySpec.Rank(3, 5, 1);
    GatewayParameters read = GatewayParameters.of(null, headers, PROXIED, rank, () -> NOW_MILLIS);
    assertThat(read.priority()).isEqualTo(3);
    assertThat(read.ignored()).containsExactly(ShortParameter.PRIORITY_HEADER);
  }

  @ParameterizedTest
  @EnumSource(
      value = CostSource.class,
      names = {"QUERY", "MAX"})
  void costThatIsStated_isReadUnderItsShortNames_whereOthersAreNot(CostSource costFrom) {
    EndpointSpec.Reading stated = reading(DialectTable.OPENAI, costFrom, false, false);
    GatewayParameters read = read(stated, "timeout=9&tokens=5&a", "X-Priority", "7");
    assertThat(read.tokens()).isEqualTo(5);
    assertThat(read.query()).isEqualTo("timeout=9&a");
    assertThat(read.patience()).isEqualTo(WaitPatience.DEFAULT);
    assertThat(read.priority()).isZero();
    assertThat(read.readHeaders()).containsExactly("x-token-cost");
    assertThat(read.ignored())
        .containsExactlyInAnyOrder(ShortParameter.TIMEOUT_IN_QUERY, ShortParameter.PRIORITY_HEADER);
    assertThat(read(stated, null, "X-Token-Cost", "6").tokens()).isEqualTo(6);
    assertThat(read(stated, "tokens=5&tokens=6").fault())
        .isEqualTo("tokens is stated more than once");
  }

  @ParameterizedTest
  @EnumSource(
      value = CostSource.class,
      names = {"BODY", "PROVIDER"})
  void costThatIsNotStated_isLeftUnderItsShortNames(CostSource costFrom) {
    EndpointSpec.Reading body = reading(DialectTable.OPENAI, costFrom, false, false);
    GatewayParameters read = read(body, "tokens=5&tokens=x", "X-Token-Cost", "6");
    assertThat(read.fault()).isNull();
    assertThat(read.query()).isEqualTo("tokens=5&tokens=x");
    assertThat(read.readHeaders()).isEmpty();
    assertThat(read.ignored())
        .containsExactlyInAnyOrder(
            ShortParameter.TOKENS_IN_QUERY, ShortParameter.TOKEN_COST_HEADER);
  }

  @Test
  void longName_winsOverAllShortOnes_whichAreRemovedWhereTheyAreRead() {
    String[] headers = {
      "x-penstock-tokens", "7", "x-penstock-timeout", "2", "x-penstock-priority", "4",
      "x-penstock-sent-at", "1699999999977", "X-Token-Cost", "bad", "X-Timeout", "bad",
      "X-Priority", "bad", "X-Sent-At", "0"
    };
    for (EndpointSpec.Reading reading : List.of(STRICT, LENIENT, PROXIED)) {
      GatewayParameters read = read(reading, "tokens=x&timeout=x&timeout=y", headers);
      assertThat(read.fault()).isNull();
      assertThat(read.tokens()).isEqualTo(7);
      assertThat(read.patience().timeoutNanos()).isEqualTo(2 * SECOND);
      assertThat(read.priority()).isEqualTo(4);
      assertThat(read.latencyMillis()).isEqualTo(23);
      assertThat(read.ignored()).as("all that it wants is read").isEmpty();
      assertThat(read.query())
          .isEqualTo(reading.equals(PROXIED) ? "tokens=x&timeout=x&timeout=y" : null);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "x-penstock-tokens, 1099511627777, x-penstock-tokens is not a whole number from 0 to",
    "x-penstock-tokens, -1, x-penstock-tokens is not a whole number from 0 to",
    "x-penstock-timeout, NaN, 'x-penstock-timeout is not a number of seconds, 0 or more'",
    "x-penstock-timeout, 1e9, 'x-penstock-timeout is not a number of seconds, 0 or more'",
    "x-penstock-priority, 2147483648, x-penstock-priority is not a whole number",
    "x-penstock-priority, '1, 2', x-penstock-priority is not a whole number"
  })
  void longNameThatCannotBeRead_isAFault_orUnsaidWhereLenient(
      String name, String value, String fault) {
    assertThat(read(PROXIED, null, name, value).fault()).startsWith(fault);
    assertThat(read(STRICT, "tokens=1&timeout=1", name, value).fault()).startsWith(fault);
    GatewayParameters lenient = read(LENIENT, null, name, value);
    assertThat(lenient.fault()).isNull();
    assertThat(lenient.tokens()).isNull();
    assertThat(lenient.patience()).isEqualTo(WaitPatience.DEFAULT);
    assertThat(lenient.priority()).isZero();
  }

  @Test
  void longNameStatedTwice_isAFault_orTheFirstCountsWhereLenient() {
    for (String name : List.of("x-penstock-tokens", "x-penstock-timeout", "x-penstock-priority")) {
      assertThat(read(PROXIED, null, name, "1", name.toUpperCase(Locale.ROOT), "1").fault())
          .isEqualTo(name + " is stated more than once");
    }
    assertThat(read(LENIENT, null, "x-penstock-priority", "1", "x-penstock-priority", "2"))
        .extracting(GatewayParameters::priority)
        .isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"6, 5", "2147483647, 5", "0, 0", "-2147483648, -2147483648"})
  void longPriorityWithAKey_isAtMostItsHighest(String stated, int expected) {
    HttpHeaders headers = new HttpHeaders();
    headers.set("x-penstock-priority", stated);
    KeySpec.Rank rank = new KeySpec.Rank(3, 5, 1);
    assertThat(GatewayParameters.of(null, headers, PROXIED, rank, () -> NOW_MILLIS).priority())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "&",
        "&&a&",
        "x-penstock-timeout=5&x-penstock-tokens=9&x-penstock-priority=1",
        "a=%zz&%=1&%4",
        "a=1&a=2&a=1",
        "tokens&tokens=&timeout=%zz&timeout",
        "%74okens=1&TOKENS=2&keys=3",
        "a=b=c&=&==",
        "a;b=1;timeout=5"
      })
  void queryWithNothingForTheGateway_remainsByteForByte(String query) {
    GatewayParameters read = read(PROXIED, query);
    assertThat(read.query()).isEqualTo(query);
    assertThat(read.fault()).isNull();
    assertThat(read.patience()).isEqualTo(WaitPatience.DEFAULT);
    assertThat(read.tokens()).isNull();
  }

  @Test
  void credentialInTheQuery_isTakenOutEverywhere() {
    for (EndpointSpec.Reading reading : List.of(PROXIED, STRICT, LENIENT)) {
      GatewayParameters read = read(reading, "a=1&&key=s%20t&b");
      assertThat(read.credential()).isEqualTo("key=s%20t");
      assertThat(read.query()).isEqualTo("a=1&&b");
      assertThat(read(reading, "%6bey=x").query()).isNull();
    }
  }
}
