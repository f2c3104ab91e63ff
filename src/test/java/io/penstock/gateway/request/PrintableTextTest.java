package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTextTest {
  @Test
  void plainText_isAsItWas() {
    assertThat(PrintableText.of("/v1/a b~é漢")).isEqualTo("/v1/a b~é漢");
  }

  @Test
  void whatEndsALineOrAQuote_isWrittenAsNumbers() {
    assertThat(PrintableText.of("a\r\nb\"c\\d")).isEqualTo("a\\u000d\\u000ab\\u0022c\\u005cd");
    assertThat(PrintableText.of("\u001b[31m\u0085\u2028\u202e\u007f"))
        .isEqualTo("\\u001b[31m\\u0085\\u2028\\u202e\\u007f");
    assertThat(PrintableText.of("\ud83d")).isEqualTo("\\ud83d");
  }

  @Test
  void longText_isCut() {
    assertThat(PrintableText.of("x".repeat(200))).hasSize(200);
    assertThat(PrintableText.of("x".repeat(201))).isEqualTo("x".repeat(200) + "...");
    assertThat(PrintableText.of("\n".repeat(4096))).hasSize(6 * 200 + 3);
  }
}
