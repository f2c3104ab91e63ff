package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CostTest {
  @Test
  void largestCounts_areTakenAndOneMoreIsRefused() {
    long most = Cost.MAX_TOKENS;
    assertThat(new Cost(most, most, most).totalTokens()).isEqualTo(2 * most);
    assertThatThrownBy(() -> new Cost(most + 1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("inputTokens");
    assertThatThrownBy(() -> new Cost(0, most + 1, 0)).hasMessageContaining("outputTokens");
    assertThatThrownBy(() -> new Cost(0, 0, most + 1)).hasMessageContaining("statedOutputTokens");
  }

  @Test
  void negativeCounts_areRefused() {
    assertThatThrownBy(() -> new Cost(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Cost(0, -1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Cost(0, 0, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void withInputAtLeast_raisesOnlyTheInput() {
    assertThat(new Cost(5, 6, 7).withInputAtLeast(9)).isEqualTo(new Cost(9, 6, 7));
    assertThat(new Cost(5, 6, 7).withInputAtLeast(4)).isEqualTo(new Cost(5, 6, 7));
  }

  @Test
  void usage_mustNotContradictItself() {
    assertThat(new Usage(10, 10, 5).totalTokens()).isEqualTo(15);
    assertThatThrownBy(() -> new Usage(10, 11, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Usage(-1, 0, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Usage(1, -1, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Usage(1, 0, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void usage_partsMustNotBeMoreThanTheWhole() {
    assertThat(new Usage(10, 4, 6, 5, 5).totalTokens()).isEqualTo(15);
    assertThatThrownBy(() -> new Usage(10, 4, 7, 5, 0)).hasMessageContaining("cacheWriteTokens");
    assertThatThrownBy(() -> new Usage(10, 0, -1, 5, 0)).hasMessageContaining("cacheWriteTokens");
    assertThatThrownBy(() -> new Usage(10, 0, 0, 5, 6)).hasMessageContaining("reasoningTokens");
    assertThatThrownBy(() -> new Usage(10, 0, 0, 5, -1)).hasMessageContaining("reasoningTokens");
  }

  @Test
  void usagePartsBeyondAllMeasure_areCutToTheWhole() {
    long most = Cost.MAX_TOKENS;
    assertThat(new Usage(Long.MAX_VALUE, most - 1, most, Long.MAX_VALUE, Long.MAX_VALUE))
        .isEqualTo(new Usage(most, most - 1, 1, most, most));
  }

  @Test
  void usageBeyondAllMeasure_isCut() {
    long most = Cost.MAX_TOKENS;
    assertThat(new Usage(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE))
        .isEqualTo(new Usage(most, most, most));
    assertThat(new Usage(most, 0, most).totalTokens()).isEqualTo(2 * most);
  }

  @Test
  void outputOfManyAnswers_isCutOnlyBeyondTheLargestCount() {
    long third = Cost.MAX_TOKENS / 3;
    Content three = new Content("m", 0, 0, Content.UNSTATED, 3, true);
    assertThat(three.expected(third).outputTokens()).isEqualTo(3 * third);
    assertThat(three.expected(third + 1).outputTokens()).isEqualTo(Cost.MAX_TOKENS);
  }

  @Test
  void dimensions_haveAPlaceEach() {
    assertThat(Dimension.values()).hasSize(Dimension.COUNT);
    assertThat(Dimension.values()).extracting(Dimension::index).containsExactly(0, 1, 2, 3, 4);
  }
}
