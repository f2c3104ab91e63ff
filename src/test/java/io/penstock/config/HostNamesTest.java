package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
  private static boolean included(HostNames names, String host) {
    return names.include(List.of(host));
  }

  @ParameterizedTest
  @CsvSource({
    "llm.example, true",
    "LLM.example, true",
    "llm.example., true",
    "llm.example:443, true",
    "llm.example.:443, true",
    "llm.example:, true",
    "192.0.2.1:80, true",
    "[2001:DB8:0::1]:80, true",
    "a.team.example, true",
    "a.b.TEAM.example:1, true",
    "localhost, false",
    "127.0.0.1, false",
    "team.example, false",
    "a.llm.example, false",
    "llm.example.evil, false",
    "xteam.example, false",
    "192.0.2.10, false",
    "2001:db8::1, false",
    "[2001:db8::2], false"
  })
  void nameOrAddressOrPattern_isComparedWithoutCasePortAndFinalDot(String host, boolean included) {
    HostNames names =
        HostNames.of(Set.of("llm.Example", "192.0.2.1", "[2001:db8::1]", "*.team.example"));
    assertThat(included(names, host)).isEqualTo(included);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        ":80",
        "llm.example:x",
        "llm.example:80:80",
        "llm.example:123456",
        "llm.example, llm.example",
        "user@llm.example",
        "http://llm.example",
        "llm.example/",
        "llm.example..",
        "[::1",
        "[llm.example]",
        "[]"
      })
  void malformedHost_isNone(String host) {
    assertThat(included(HostNames.withLoopback(Set.of("llm.example")), host)).isFalse();
  }

  @Test
  void noHostOrTwo_isNone() {
    HostNames names = HostNames.withLoopback(Set.of());
    assertThat(names.include(List.of())).isFalse();
    assertThat(names.include(List.of("localhost", "localhost"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "localhost, true",
    "app.localhost, true",
    "a.b.LOCALHOST.:1, true",
    "127.0.0.1, true",
    "127.255.255.254, true",
    "127.1, true",
    "[::1], true",
    "[0:0:0:0:0:0:0:1]:8080, true",
    "[::ffff:127.0.0.1], true",
    "0.0.0.0, false",
    "[::], false",
    "128.0.0.1, false",
    "127.0.0.1.evil.example, false",
    "127.evil.example, false",
    "localhost.evil.example, false",
    "evillocalhost, false",
    "[::2], false"
  })
  void loopback_isNamedByItsNamesAndAddressesOnly(String host, boolean included) {
    assertThat(included(HostNames.withLoopback(Set.of()), host)).isEqualTo(included);
  }

  @Test
  void any_isEveryHost() {
    assertThat(included(HostNames.ANY, "evil.example")).isTrue();
    assertThat(HostNames.ANY.include(List.of())).isTrue();
    assertThat(included(HostNames.withLoopback(Set.of("llm.example", "*")), "a b")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"*", "*.a.example", "a", "a.example.", "xn--bcher-kva.example", "my_host"})
  void nameOrPattern_isAnEntry(String entry) {
    assertThat(HostNames.isEntry(entry)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "::1", "[::1]", "fd00::1"})
  void address_isAnEntry(String entry) {
    assertThat(HostNames.isEntry(entry)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " a",
        "*.",
        "*a.example",
        "a.*",
        "**",
        "a..example",
        "a.example:80",
        "http://a.example",
        "a.example/",
        "256.0.0.1",
        "[a]",
        "bücher.example"
      })
  void anythingElse_isNoEntry(String entry) {
    assertThat(HostNames.isEntry(entry)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "http://localhost:8080, localhost:8080, true",
        "https://LLM.example, llm.example, true",
        "http://localhost:3000, localhost:8080, false",
        "http://localhost, localhost:8080, false",
        "null, localhost, false",
        "http://null, none, false",
        "ftp://localhost, localhost, false"
      })
  void origin_isThatOfAHostWithTheSameNameAndPort(String origin, String host, boolean own) {
    assertThat(HostNames.isForeignPage(host, List.of(origin), List.of())).isEqualTo(!own);
  }
}
