package io.penstock.config.shape;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointPathTest {
  @ParameterizedTest
  @CsvSource({
    "/, /",
    "//, /",
    "/a, /a",
    "/a/, /a",
    "//a///b//, /a/b",
    "/%61%2d%7E, /a-~",
    "/a%2fb, /a%2Fb",
    "/a%c3%A9, /a%C3%A9",
    "/aé, /a%C3%A9",
    "/...a/.b, /...a/.b",
    "/v1:x@y;z=1, /v1:x@y;z=1",
    "/%25, /%25"
  })
  void path_written_isNormalised(String written, String path) {
    assertThat(EndpointPath.normalise(written)).isEqualTo(new ParsedValue.Good<>(path));
    assertThat(EndpointPath.normalise(path)).isEqualTo(new ParsedValue.Good<>(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "a", "http://h/a", "/a?b", "/a#b", "/.", "/..", "/a/./b", "/a/../b", "/%2e%2E/b",
            "/a/%2e",
        "/a b", "/a\\b", "/a%5cb", "/a%", "/a%4", "/a%zz", "/a%00", "/a%0d%0a", "/{a}", "/a\"b",
            "/a\nb"
      })
  void path_thatIsNone_isRefused(String written) {
    assertThat(EndpointPath.normalise(written)).isInstanceOf(ParsedValue.Bad.class);
  }

  @Test
  void path_atAndAboveTheLongest_isTakenAndRefused() {
    String longest = "/" + "a".repeat(2047);
    assertThat(EndpointPath.normalise(longest)).isEqualTo(new ParsedValue.Good<>(longest));
    assertThat(EndpointPath.normalise(longest + "a")).isInstanceOf(ParsedValue.Bad.class);
    assertThat(EndpointPath.normalise("/" + "é".repeat(342))).isInstanceOf(ParsedValue.Bad.class);
  }
}
