package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;

class JarAgainstJarTest {
  @Test
  void fewerThanSevenPairs_areOnlyTried() {
    assertThatIOException()
        .isThrownBy(() -> JarAgainstJar.check(6, false))
        .withMessageStartingWith("pairs is 6, expected at least 7");
    assertThatNoException().isThrownBy(() -> JarAgainstJar.check(7, false));
    assertThatNoException().isThrownBy(() -> JarAgainstJar.check(1, true));
  }

  @Test
  void table_saysRatioNoiseAndVerdict() {
    PairedValues noise = new PairedValues("old", "old again");
    PairedValues pairs = new PairedValues("old", "new");
    for (int pair = 0; pair < 7; pair++) {
      noise.add(JarMeasure.ALLOCATED, 1_000, pair % 2 == 0 ? 1_010 : 990);
      pairs.add(JarMeasure.ALLOCATED, 1_000 + pair, 2 * (1_000 + pair));
    }
    assertThat(pairs.table(noise))
        .contains("bytes allocated per request")
        .contains("2.000 to 2.000")
        .contains("0.990 to 1.010")
        .contains("WORSE than before");
    assertThat(pairs.figures(noise).getFirst().measured())
        .isEqualTo("2.000, 2.000 to 2.000: WORSE than before");
  }
}
