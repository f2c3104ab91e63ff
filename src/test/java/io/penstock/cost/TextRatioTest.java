package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class TextRatioTest {
  private static final double EXACT = 1e-12;

  private final TextRatio ratio = new TextRatio();

  @Test
  void text_countsAsItIsLong_besideABeginningThatFades() {
    assertThat(ratio.ratio()).isEqualTo(1);
    ratio.add(1_000, 2_000);
    // the initial weight of 256 counts as 255 now
    assertThat(ratio.ratio()).isCloseTo(2_255.0 / 1_255, within(EXACT));
    ratio.add(1_000, 500);
    double fade = 1 - 1.0 / 256;
    assertThat(ratio.ratio())
        .isCloseTo((2_255 * fade + 500) / (1_255 * fade + 1_000), within(EXACT));
    assertThat(ratio.of(1_000)).isEqualTo(Math.round(1_000 * ratio.ratio()));
  }

  @Test
  void longText_teachesAsOneOf32768Tokens() {
    TextRatio longest = new TextRatio();
    longest.add(32_768, 65_536);
    ratio.add(131_072, 262_144);
    assertThat(ratio.ratio()).isEqualTo(longest.ratio()).isLessThan(2);
  }

  @Test
  void requestsWithoutText_doNotFadeWhatIsKnown() {
    TextRatio one = new TextRatio();
    one.add(100, 200);
    for (int request = 0; request < 1_000; request++) {
      ratio.add(0, 0);
    }
    ratio.add(100, 200);
    assertThat(ratio.ratio()).isEqualTo(one.ratio());
  }
}
