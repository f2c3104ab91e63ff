package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MockAddressTest {
  private static MockAddress parse(String text) {
    return MockAddress.parse(URI.create(text));
  }

  private static MockAddress address(
      MockFormat format,
      long latencyNanos,
      int tokens,
      double tokensPerSecond,
      long rpm,
      long tpm,
      long windowNanos,
      double errorRate) {
    return new MockAddress(
        format,
        latencyNanos,
        tokens,
        tokensPerSecond,
        new MockAddress.Limits(rpm, tpm, 0, windowNanos),
        errorRate,
        true,
        new MockAddress.Cache(0, 300_000_000_000L),
        false);
  }

  @Test
  void nothingSaid_defaults() {
    assertThat(parse("mock://openai"))
        .isEqualTo(address(MockFormat.OPENAI, 0, 50, 0, 0, 0, 60_000_000_000L, 0));
    assertThat(parse("mock://anthropic/?").format()).isEqualTo(MockFormat.ANTHROPIC);
    assertThat(parse("mock://gemini").format()).isEqualTo(MockFormat.GEMINI);
  }

  @Test
  void everythingSaid_taken() {
    assertThat(
            parse(
                "mock://anthropic?latency=200ms&tokens=7&tps=12.5&rpm=3&tpm=900&window=1.5s"
                    + "&error_rate=0.25"))
        .isEqualTo(
            address(MockFormat.ANTHROPIC, 200_000_000, 7, 12.5, 3, 900, 1_500_000_000, 0.25));
  }

  @Test
  void cache_isOffUnlessAsked() {
    MockAddress plain = parse("mock://anthropic");
    assertThat(plain.cache().tokens()).isZero();
    assertThat(plain.cache().lifeNanos()).isEqualTo(300_000_000_000L);
    assertThat(plain.limits().itpm()).isZero();
    MockAddress caching = parse("mock://anthropic?cache=1024&cache_life=2s&itpm=5000");
    assertThat(caching.cache().tokens()).isEqualTo(1_024);
    assertThat(caching.cache().lifeNanos()).isEqualTo(2_000_000_000L);
    assertThat(caching.limits().itpm()).isEqualTo(5_000);
  }

  @Test
  void headersNone_announcesNothing() {
    assertThat(parse("mock://openai").announces()).isTrue();
    assertThat(parse("mock://openai?headers=all").announces()).isTrue();
    assertThat(parse("mock://openai?headers=none").announces()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "latency=0, 0",
    "latency=1m, 60000000000",
    "latency=60m, 3600000000000",
    "latency=0.5ms, 500000"
  })
  void duration_inItsUnit(String parameter, long nanos) {
    assertThat(parse("mock://openai?" + parameter).latencyNanos()).isEqualTo(nanos);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mock://azure | provider is 'azure', expected openai, anthropic or gemini",
        "mock:openai | provider is missing",
        "mock://openai:80 | provider is 'openai:80'",
        "mock://me@openai | provider is 'me@openai'",
        "http://openai | scheme is 'http', expected mock",
        "mock://openai/v1 | path is '/v1', expected none",
        "mock://openai#x | fragment is 'x', expected none",
        "mock://openai?speed=1 | unknown parameter 'speed', expected one of [cache,",
        "mock://openai?rpm=1& | unknown parameter ''",
        "mock://openai?rpm=1&rpm=2 | rpm is given twice",
        "mock://openai?rpm | rpm is '', expected a whole number",
        "mock://openai?rpm=-1 | rpm is '-1', expected a whole number",
        "mock://openai?rpm=1.5 | rpm is '1.5', expected a whole number",
        "mock://openai?tpm=99999999999999999999 | tpm is '99999999999999999999'",
        "mock://openai?tpm=1000000000001 | tpm is out of range, expected 0 (unlimited) to",
        "mock://openai?tokens=0 | tokens is out of range, expected 1 to 100000",
        "mock://openai?tokens=100001 | tokens is out of range",
        "mock://openai?tokens=4294967297 | tokens is out of range",
        "mock://openai?tps=NaN | tps is 'NaN', expected a number",
        "mock://openai?tps=-1 | tps is '-1', expected a number",
        "mock://openai?tps=1e9 | tps is '1e9', expected a number",
        "mock://openai?tps=0.0001 | tps is out of range, expected 0 (all at once), or 0.001",
        "mock://openai?latency=5 | latency is '5', expected a duration such as 200ms, 2s or 1m",
        "mock://openai?latency=-5ms | latency is '-5ms', expected a duration",
        "mock://openai?latency=61m | latency is out of range, expected 0 to 60m",
        "mock://openai?latency=999999999999m | latency is out of range",
        "mock://openai?window=0 | window is out of range, expected 1ms to 60m",
        "mock://openai?headers=some | headers is 'some', expected all or none",
        "mock://anthropic?cache=100001 | cache is out of range, expected 0 (none) to 100000",
        "mock://openai?cache=1 | cache is 1, expected it for anthropic only",
        "mock://anthropic?cache_life=0 | cache_life is out of range, expected 1ms to 60m",
        "mock://anthropic?itpm=1000000000001 | itpm is out of range, expected 0 (unlimited) to",
        "mock://openai?error_rate=1.1 | error_rate is out of range, expected 0 to 1"
      })
  void badAddress_namesParameterAndExpectation(String address, String message) {
    assertThatThrownBy(() -> parse(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("mock address: " + message);
  }
}
