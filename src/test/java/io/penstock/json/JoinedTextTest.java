package io.penstock.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class JoinedTextTest {
  private static final String WHOLE = "the gate is open";

  private final JoinedText text = new JoinedText(List.of("the", "", " gate ", "is open"));

  @Test
  void everyStretchAndCharacter_isThatOfTheWhole() {
    assertThat(text.length()).isEqualTo(WHOLE.length());
    assertThat(text.toString()).isEqualTo(WHOLE);
    for (int from = 0; from < WHOLE.length(); from++) {
      assertThat(text.charAt(from)).isEqualTo(WHOLE.charAt(from));
      for (int to = from; to <= WHOLE.length(); to++) {
        assertThat(text.subSequence(from, to)).isEqualTo(WHOLE.substring(from, to));
      }
    }
  }

  @Test
  void characterBeyondTheEnd_isRefused() {
    assertThatThrownBy(() -> text.charAt(WHOLE.length()))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void textOfOnePart_isCopiedOnlyWhenItIsShort() {
    KeptText kept = new KeptText();
    KeptText.Part part = kept.part();
    part.append("short");
    assertThat(kept.whole()).isEqualTo("short");
    part.append("x".repeat(10_000));
    assertThat(kept.whole())
        .isInstanceOf(JoinedText.class)
        .hasToString("short" + "x".repeat(10_000));
  }
}
