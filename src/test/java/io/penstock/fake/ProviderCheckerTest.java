package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProviderCheckerTest {
  private final TrailingChecker requests = new TrailingChecker(3, 1_000);
  private final TrailingChecker input = new TrailingChecker(100, 1_000);
  private final TrailingChecker output = new TrailingChecker(100, 1_000);

  @Test
  void openAi_chargesTheLargerOfMaximumAndInput() {
    ProviderChecker checker = new ProviderChecker.OpenAi(requests, input);
    assertThat(checker.takes(0, 10, 60)).isTrue();
    assertThat(checker.takes(0, 41, 0)).isFalse();
    assertThat(checker.takes(0, 40, 20)).isTrue();
    assertThat(input.used(0)).isEqualTo(100);
    assertThat(requests.used(0)).isEqualTo(2);
  }

  @Test
  void openAi_requestsAreALimitOfTheirOwn() {
    ProviderChecker checker = new ProviderChecker.OpenAi(requests, input);
    for (int i = 0; i < 3; i++) {
      assertThat(checker.takes(i, 1, 1)).isTrue();
    }
    assertThat(checker.takes(999, 1, 1)).isFalse();
    assertThat(checker.takes(1_000, 1, 1)).isTrue();
  }

  @Test
  void anthropic_statedMaximumDoesNotMatter() {
    ProviderChecker checker = new ProviderChecker.Anthropic(requests, input, output);
    assertThat(checker.takes(0, 60, 5_000)).isTrue();
    assertThat(checker.takes(0, 41, 0)).isFalse();
    assertThat(checker.takes(0, 40, 5_000)).isTrue();
  }

  @Test
  void anthropic_outputOverItsLimit_refusesWhatComesNext() {
    ProviderChecker checker = new ProviderChecker.Anthropic(requests, input, output);
    checker.produces(5, 100);
    assertThat(checker.takes(5, 1, 0)).isTrue();
    checker.produces(6, 1);
    assertThat(checker.takes(5, 1, 0)).isTrue();
    assertThat(checker.takes(6, 1, 0)).isFalse();
    assertThat(output.most()).isEqualTo(101);
  }

  @Test
  void windows_inputAtArrivalAndOutputWhenProduced() {
    FixedChecker tokens = new FixedChecker(100, 1_000, 250);
    ProviderChecker checker = new ProviderChecker.Windows(tokens);
    assertThat(checker.takes(0, 60, 40)).isTrue();
    checker.produces(10, 40);
    assertThat(checker.takes(20, 1, 0)).isFalse();
    assertThat(tokens.most()).isEqualTo(100);
  }
}
