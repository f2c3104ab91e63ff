package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmupTest {
  private static final Duration MOST = Duration.ofMinutes(3);

  private final List<Duration> lengths = new ArrayList<>();

  private Duration warmed(Duration most, double... each) throws IOException, InterruptedException {
    Iterator<Double> came = Arrays.stream(each).iterator();
    return Warmup.until(
        most,
        length -> {
          lengths.add(length);
          return came.next();
        });
  }

  @Test
  void goesOn_whileItBringsSomething() throws Exception {
    Duration taken = warmed(MOST, 200, 1100, 1200, 1150, 1180, 2400, 5600, 5500, 5700, 5400);

    assertThat(taken).isEqualTo(Duration.ofSeconds(100));
  }

  @Test
  void aSlowStretch_isNotTheEnd() throws Exception {
    Duration taken = warmed(MOST, 5000, 2000, 4000, 5200, 5100, 5000, 5300);

    assertThat(taken).as("5200 is better by 4 %").isEqualTo(Duration.ofSeconds(70));
  }

  @Test
  void smallSteps_addUpToABetterOne() throws Exception {
    assertThat(warmed(MOST, 100, 102, 104, 103, 104, 103)).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void whoNeverSettles_hasAnEnd() throws Exception {
    Duration taken = warmed(Duration.ofSeconds(25), 1, 2, 4);

    assertThat(taken).isEqualTo(Duration.ofSeconds(25));
    assertThat(lengths)
        .containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(5));
  }
}
