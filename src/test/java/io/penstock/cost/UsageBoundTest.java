package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UsageBoundTest {
  private static final long MUCH = 1_000_000_000L;

  private static UsageBound of(long stated, long answers) {
    return UsageBound.of(new RequestContent("m", 10, 0, stated, answers, true));
  }

  @Test
  void usageWithinTheBound_isBelievedAsItIs() {
    TokenUsage usage = new TokenUsage(100, 20, 5, 10, 3);
    assertThat(of(5, 2).within(usage, 0)).isSameAs(usage);
    assertThat(UsageBound.CONTEXT.within(usage, 0)).isSameAs(usage);
  }

  @Test
  void output_isAtMostTheStatedMaximumOfEachAnswer() {
    assertThat(of(5, 2).within(new TokenUsage(100, 20, 5, 11, 11), 0))
        .isEqualTo(new TokenUsage(100, 20, 5, 10, 10));
  }

  @Test
  void outputThatWasSeen_isBelieved() {
    assertThat(of(5, 2).within(new TokenUsage(100, 0, MUCH), 12).outputTokens()).isEqualTo(12);
  }

  @Test
  void whereNothingIsStated_eachAnswerIsAtMostAContext() {
    assertThat(of(RequestContent.UNSTATED, 2).within(new TokenUsage(1, 0, MUCH), 0).outputTokens())
        .isEqualTo(2 * UsageBound.CONTEXT_TOKENS);
  }

  @Test
  void input_isAtMostAContext_withItsPartsInside() {
    long context = UsageBound.CONTEXT_TOKENS;
    assertThat(of(5, 1).within(new TokenUsage(MUCH, context - 1, context, 5, 0), 0))
        .isEqualTo(new TokenUsage(context, context - 1, 1, 5, 0));
  }

  @Test
  void largestMaximum_doesNotOverflow() {
    assertThat(of(Cost.MAX_TOKENS, 128).outputTokens()).isEqualTo(Cost.MAX_TOKENS);
  }

  @Test
  void severalCallsForOneAnswer_eachHaveTheBound_upToAHundred() {
    assertThat(of(5, 2).times(1)).isEqualTo(of(5, 2));
    assertThat(of(5, 2).times(3).outputTokens()).isEqualTo(30);
    assertThat(of(5, 2).times(101)).isEqualTo(of(5, 2).times(100));
    assertThat(of(5, 2).times(0)).isEqualTo(of(5, 2));
    assertThat(of(Cost.MAX_TOKENS, 1).times(100).outputTokens()).isEqualTo(Cost.MAX_TOKENS);
  }
}
