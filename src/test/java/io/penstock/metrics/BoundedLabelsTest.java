package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.Hostile;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedLabelsTest {
  private final BoundedLabels labels = new BoundedLabels(3);

  @Hostile(Hostile.By.CLIENT)
  @Test
  void theFirstFew_areThemselves_laterOnesAreOther() {
    assertThat(IntStream.range(0, 5).mapToObj(each -> labels.of("m" + each)))
        .containsExactly("m0", "m1", "m2", "other", "other");
    assertThat(labels.of("m1")).isEqualTo("m1");
    assertThat(labels.has("m2")).isTrue();
    assertThat(labels.has("m3")).isFalse();
  }

  @Test
  void noValue_takesNoPlace() {
    assertThat(labels.of(null)).isEqualTo("none");
    assertThat(IntStream.range(0, 3).mapToObj(each -> labels.of("m" + each)))
        .doesNotContain("other");
  }
}
