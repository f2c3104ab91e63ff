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
    assertThat(new TokenUsage(10, 10, 5).totalTokens()).isEqualTo(15);
    assertThatThrownBy(() -> new TokenUsage(10, 11, 5))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TokenUsage(-1, 0, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TokenUsage(1, -1, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new TokenUsage(1, 0, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void usage_partsMustNotBeMoreThanTheWhole() {
    assertThat(new TokenUsage(10, 4, 6, 5, 5).totalTokens()).isEqualTo(15);
    assertThatThrownBy(() -> new TokenUsage(10, 4, 7, 5, 0))
        .hasMessageContaining("cacheWriteTokens");
    assertThatThrownBy(() -> new TokenUsage(10, 0, -1, 5, 0))
        .hasMessageContaining("cacheWriteTokens");
    assertThatThrownBy(() -> new TokenUsage(10, 0, 0, 5, 6))
        .hasMessageContaining("reasoningTokens");
    assertThatThrownBy(() -> new TokenUsage(10, 4, 6, 7, 5, 0))
        .hasMessageContaining("cacheWriteHourTokens");
    assertThatThrownBy(() -> new TokenUsage(10, 0, 0, 5, -1))
        .hasMessageContaining("reasoningTokens");
  }

  @Test
  void usagePartsBeyondAllMeasure_areCutToTheWhole() {
    long most = Cost.MAX_TOKENS;
    assertThat(new TokenUsage(Long.MAX_VALUE, most - 1, most, Long.MAX_VALUE, Long.MAX_VALUE))
        .isEqualTo(new TokenUsage(most, most - 1, 1, most, most));
    assertThat(new TokenUsage(Long.MAX_VALUE, most - 1, most, most, 0, 0))
        .isEqualTo(new TokenUsage(most, most - 1, 1, 1, 0, 0));
  }

  @Test
  void usageBeyondAllMeasure_isCut() {
    long most = Cost.MAX_TOKENS;
    assertThat(new TokenUsage(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE))
        .isEqualTo(new TokenUsage(most, most, most));
    assertThat(new TokenUsage(most, 0, most).totalTokens()).isEqualTo(2 * most);
  }

  @Test
  void outputOfManyAnswers_isCutOnlyBeyondTheLargestCount() {
    long third = Cost.MAX_TOKENS / 3;
    RequestContent three = new RequestContent("m", 0, 0, RequestContent.UNSTATED, 3, true);
    assertThat(three.expected(third).outputTokens()).isEqualTo(3 * third);
    assertThat(three.expected(third + 1).outputTokens()).isEqualTo(Cost.MAX_TOKENS);
  }

  @Test
  void dimensions_haveAPlaceEach() {
    assertThat(CostDimension.values()).hasSize(CostDimension.COUNT);
    assertThat(CostDimension.values())
        .extracting(CostDimension::index)
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  }
}
