package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
  @Test
  void plainText_isAsItWas() {
    assertThat(Printable.of("/v1/a b~é漢")).isEqualTo("/v1/a b~é漢");
  }

  @Test
  void whatEndsALineOrAQuote_isWrittenAsNumbers() {
    assertThat(Printable.of("a\r\nb\"c\\d")).isEqualTo("a\\u000d\\u000ab\\u0022c\\u005cd");
    assertThat(Printable.of("\u001b[31m\u0085\u2028\u202e\u007f"))
        .isEqualTo("\\u001b[31m\\u0085\\u2028\\u202e\\u007f");
    assertThat(Printable.of("\ud83d")).isEqualTo("\\ud83d");
  }

  @Test
  void longText_isCut() {
    assertThat(Printable.of("x".repeat(200))).hasSize(200);
    assertThat(Printable.of("x".repeat(201))).isEqualTo("x".repeat(200) + "...");
    assertThat(Printable.of("\n".repeat(4096))).hasSize(6 * 200 + 3);
  }
}
