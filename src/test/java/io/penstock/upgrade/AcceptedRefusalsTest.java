package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptedRefusalsTest {
  private static final AcceptedRefusals ACCEPTED =
      new AcceptedRefusals(
          List.of(
              new AcceptedRefusals.Refusal(
                  "state.yaml", JarVersion.PREVIOUS, "version is 2, expected 1")));

  private static final StartOutcome REFUSED =
      StartOutcome.ended(2, List.of("starts", "state.yaml:2:10: version is 2, expected 1", ""));

  @Test
  void sentenceThatWasDecidedOn_isARefusal() {
    assertThat(ACCEPTED.serves("state.yaml", JarVersion.PREVIOUS, REFUSED)).isFalse();
  }

  @Test
  void sentenceThatNobodyDecidedOn_fails() {
    assertThatThrownBy(() -> ACCEPTED.serves("state.yaml", JarVersion.CURRENT, REFUSED))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("The CURRENT jar refuses state.yaml and nobody decided on that")
        .hasMessageContaining("version is 2, expected 1");
    assertThatThrownBy(() -> ACCEPTED.serves("state.db", JarVersion.PREVIOUS, REFUSED))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void gatewayThatServes_failsWhereARefusalIsListed() {
    StartOutcome serving = new StartOutcome.Serving();
    assertThat(ACCEPTED.serves("state.yaml", JarVersion.CURRENT, serving)).isTrue();
    assertThatThrownBy(() -> ACCEPTED.serves("state.yaml", JarVersion.PREVIOUS, serving))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("The PREVIOUS jar reads state.yaml, expected");
  }

  @Test
  void anyOtherEnd_isBrokenAndFails() {
    List<List<String>> logs =
        List.of(List.of(), List.of("java.lang.IllegalStateException: no", "\tat a.B.c(B.java:1)"));
    for (List<String> log : logs) {
      assertThat(StartOutcome.ended(2, log)).isEqualTo(new StartOutcome.Broken(2, log));
    }
    List<String> sentence = List.of("the file cannot be read");
    assertThat(StartOutcome.ended(1, sentence)).isEqualTo(new StartOutcome.Broken(1, sentence));
    StartOutcome broken = StartOutcome.ended(1, sentence);
    assertThatThrownBy(() -> ACCEPTED.serves("state.yaml", JarVersion.PREVIOUS, broken))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("ended with 1 on state.yaml: the file cannot be read");
  }

  @Test
  void previousJarThatIsMissing_isSkippedUnlessItIsRequired() {
    assertThatThrownBy(() -> PreviousJar.missing("no git in this trial", true))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no git in this trial");
    assertThatThrownBy(() -> PreviousJar.missing("no git in this trial", false))
        .isInstanceOf(org.opentest4j.TestAbortedException.class)
        .hasMessageContaining("no git in this trial");
  }
}
