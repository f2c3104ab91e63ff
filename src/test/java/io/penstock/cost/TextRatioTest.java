package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class TextRatioTest {
  private static final double EXACT = 1e-12;

  private final TextRatio ratio = new TextRatio();

  @Test
  void text_countsAsItIsLong_besideABeginningThatFades() {
    assertThat(ratio.isKnown()).isFalse();
    ratio.add(1_000, 2_000, 1);
    assertThat(ratio.isKnown()).isTrue();
    // the initial weight of 256 counts as 255 now
    assertThat(ratio.ratio()).isCloseTo(2_255.0 / 1_255, within(EXACT));
    ratio.add(1_000, 500, 8);
    double fade = 1 - 1.0 / 256;
    assertThat(ratio.ratio())
        .isCloseTo((2_255 * fade + 500) / (1_255 * fade + 1_000), within(EXACT));
  }

  @Test
  void firstText_startsFromTheInitialRatio() {
    ratio.add(256, 256, 1.5);
    assertThat(ratio.ratio()).isCloseTo((1.5 * 255 + 256) / (255 + 256), within(EXACT));
  }

  @Test
  void longText_teachesAsOneOf32768Tokens() {
    TextRatio longest = new TextRatio();
    longest.add(32_768, 65_536, 1);
    ratio.add(131_072, 262_144, 1);
    assertThat(ratio.ratio()).isEqualTo(longest.ratio()).isLessThan(2);
  }

  @Test
  void requestsWithoutText_doNotFadeWhatIsKnown() {
    TextRatio one = new TextRatio();
    one.add(100, 200, 1);
    for (int request = 0; request < 1_000; request++) {
      ratio.add(0, 0, 1);
    }
    ratio.add(100, 200, 1);
    assertThat(ratio.ratio()).isEqualTo(one.ratio());
  }
}
