package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedLabelsTest {
  private final BoundedLabels boundedLabels = new BoundedLabels(3);

  @Test
  void theFirstFew_areThemselves_laterOnesAreOther() {
    assertThat(IntStream.range(0, 5).mapToObj(each -> boundedLabels.of("m" + each)))
        .containsExactly("m0", "m1", "m2", "other", "other");
    assertThat(boundedLabels.of("m1")).isEqualTo("m1");
    assertThat(boundedLabels.has("m2")).isTrue();
    assertThat(boundedLabels.has("m3")).isFalse();
  }

  @Test
  void noValue_takesNoPlace() {
    assertThat(boundedLabels.of(null)).isEqualTo("none");
    assertThat(IntStream.range(0, 3).mapToObj(each -> boundedLabels.of("m" + each)))
        .doesNotContain("other");
  }
}
