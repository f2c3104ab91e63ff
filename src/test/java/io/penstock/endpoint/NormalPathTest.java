package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalPathTest {
  private static final String BAD_ESCAPE =
      "which has a bad % escape, expected two hex digits of a character";

  private static void assertNormal(String written, String path) {
    assertThat(NormalPath.of(written)).as(written).isEqualTo(new NormalPath.Good(path));
    assertThat(NormalPath.of(path)).as("once more").isEqualTo(new NormalPath.Good(path));
  }

  private static void assertBad(String written, String problem) {
    assertThat(NormalPath.of(written)).as(written).isEqualTo(new NormalPath.Bad(problem));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/v1/chat/completions",
        "/abcdefghijklmnopqrstuvwxyz",
        "/ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "/0123456789",
        "/-._~!$&'()*+,;=:@",
        "/a.b/...",
        "/.well-known",
        "/a/..b"
      })
  void normalAlready_staysWhatItIs(String path) {
    assertNormal(path, path);
    assertNormal("/" + path, path); // and also where the path has to be rewritten
  }

  @ParameterizedTest
  @CsvSource({"/a/, /a", "//, /", "//a, /a", "/a//b, /a/b", "///a///b///, /a/b"})
  void slashes_areOneBetweenSegmentsAndNoneAtTheEnd(String written, String path) {
    assertNormal(written, path);
  }

  @ParameterizedTest
  @CsvSource({
    "/%61%7a%41%5a%30%39, /azAZ09",
    "/%2d%2E%5f%7E, /-._~",
    "/%60%7B%40%5B%3A, /%60%7B%40%5B%3A",
    "/%21%2c, /%21%2C",
    "/a%2fb, /a%2Fb",
    "/a%20b, /a%20b",
    "/%c3%a9, /%C3%A9",
    "/%ff, /%FF"
  })
  void escapes_arePlainWhereUnreserved_andUpperCaseElsewhere(String written, String path) {
    assertNormal(written, path);
  }

  @Test
  void charactersBeyondAscii_areEscapedByteByByte() {
    assertNormal("/é", "/%C3%A9");
    assertNormal("/À", "/%C3%80");
    assertNormal("/日", "/%E6%97%A5");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a/b", "%2Fa"})
  void withoutASlashFirst_isNone(String written) {
    assertBad(written, "expected a slash first");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/%", "/a%4", "/%zz", "/%4g", "/%g4", "/%00", "/%0a", "/%1F", "/%7f", "/a%5cb"})
  void escapeOfNoCharacterOfAPath_isNone(String written) {
    assertBad(written, BAD_ESCAPE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/.", "/..", "/./a", "/../a", "/a/.", "/a/..", "/a/../b", "/%2e", "/.%2E"})
  void segmentOfDots_isNone(String written) {
    assertBad(written, "which has a segment of dots, expected the path they lead to");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a?b=c", "/?", "/a#b", "/#"})
  void queryOrFragment_isNone(String written) {
    assertBad(written, "which has a query or a fragment, expected a path alone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a b", "/a\\b", "/a\"", "/<a>", "/[a]", "/{a}", "/a|b", "/`", "/^"})
  void characterThatMustBeEscaped_isNone(String written) {
    assertBad(written, "which has a character that a path cannot have, expected it in % form");
  }
}
