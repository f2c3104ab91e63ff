package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what of a provider's words others may read. */
class PublicWordsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "Insufficient Balance | Insufficient Balance",
        "You didn't pay; it's the provider's rule | You didn't pay; it's the provider's rule",
        "See https://platform.openai.com/account/api-keys. | See"
            + " https://platform.openai.com/account/api-keys.",
        "key: sk-x. | key: ***.",
        "key sk-proj-************abcd | key ***",
        "key AIzaSyD1 and gsk_12 and xai-ab | key *** and *** and ***",
        "Bearer abc.def is bad | Bearer *** is bad",
        "token 0123456789abcdef0123 | token ***",
        "unsupported_country_region_territory | unsupported_country_region_territory",
        "The model `my secret` is bad | The model *** is bad",
        "Value 'it's mine' is bad | Value *** is bad",
        "It says \"a b\" and \u201cc d\u201d | It says *** and ***",
        "It says 'never ends | It says ***",
        "<html><head><style>a{b:c}</style><title>No</title></head><p>code: 520</p> | No code: 520",
      })
  void words(String text, String shown) {
    assertThat(PublicWords.of(text)).isEqualTo(shown);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\r\n\tb", "a\u202eb", "a\u2028b", "a\u0000b", " a\u200bb "})
  void whatCannotBePrinted_isASpace(String text) {
    assertThat(PublicWords.of(text)).isEqualTo("a b");
  }

  @Test
  void longText_isCut() {
    assertThat(PublicWords.of("a ".repeat(100) + "b")).isEqualTo("a ".repeat(100) + "...");
    assertThat(PublicWords.of("a ".repeat(99) + "bb")).hasSize(PublicWords.MOST);
    assertThat(PublicWords.of("")).isEmpty();
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @ValueSource(strings = {"<script", "\u201c", "'", "`", "*", "a1", "<", " '", "bearer ", "sk-"})
  void textThatIsMadeToTakeLong_takesNoTime(String part) {
    String most = part.repeat((64 << 10) / part.length());
    assertThat(PublicWords.of(most).length()).isLessThanOrEqualTo(PublicWords.MOST + 3);
    assertThat(PublicWords.of("<" + most).length()).isLessThanOrEqualTo(PublicWords.MOST + 3);
  }
}
