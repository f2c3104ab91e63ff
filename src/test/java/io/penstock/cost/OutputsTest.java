package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputsTest {
  @Test
  void nineteenAnswers_sayNothing_twentyDo() {
    Outputs outputs = new Outputs();
    for (int i = 0; i < Outputs.ENOUGH - 1; i++) {
      outputs.add(100);
    }
    assertThat(outputs.ninetieth()).isEqualTo(Outputs.UNKNOWN);
    outputs.add(100);
    assertThat(outputs.ninetieth()).isBetween(100L, 103L);
  }

  /** Bins are one token wide up to 15, then 2, 4, …: rank 0.9 × 21 = 18.9 of 20 lies 94.5 % in. */
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "7, 7",
    "8, 8",
    "15, 15",
    "16, 17",
    "17, 17",
    "31, 31",
    "32, 35",
    "1000, 1020",
    "1048575, 1044971",
    "1048576, 1044971",
    "1099511627776, 1044971"
  })
  void twentyEqualAnswers_lieInTheirBin(long tokens, long expected) {
    Outputs outputs = new Outputs();
    for (int i = 0; i < 20; i++) {
      outputs.add(tokens);
    }
    assertThat(outputs.ninetieth()).isEqualTo(expected);
  }

  @Test
  void oneToTwenty_haveTheirNinetiethBelowTheLongest() {
    Outputs outputs = new Outputs();
    for (int i = 1; i <= 20; i++) {
      outputs.add(i);
    }
    assertThat(outputs.ninetieth()).isEqualTo(19);
  }

  @Test
  void answersOfAnyLength_stayWithinNineTimesOfTen() {
    SplittableRandom random = new SplittableRandom(4);
    for (int shape = 0; shape < 5; shape++) {
      Outputs outputs = new Outputs();
      int within = 0;
      int asked = 0;
      for (int i = 0; i < 20_000; i++) {
        long tokens = draw(random, shape);
        if (outputs.total() >= Outputs.ENOUGH) {
          asked++;
          within += tokens <= outputs.ninetieth() ? 1 : 0;
        }
        outputs.add(tokens);
        assertThat(outputs.total()).isLessThan(Outputs.MOST);
      }
      assertThat((double) within / asked).as("shape %d", shape).isBetween(0.88, 0.92);
    }
  }

  private static long draw(SplittableRandom random, int shape) {
    double part = random.nextDouble();
    return switch (shape) {
      case 0 -> Math.round(1_000 * part);
      case 1 -> Math.round(-300 * Math.log(1 - part));
      case 2 -> Math.round(Math.exp(5 + 2 * random.nextGaussian()));
      case 3 -> part < 0.5 ? random.nextLong(20) : 4_000 + random.nextLong(8_000);
      default -> random.nextLong(1L << 19);
    };
  }

  @Test
  void whatChanged_isKnownAfterTwoThousandAnswers() {
    Outputs outputs = new Outputs();
    for (int i = 0; i < 100_000; i++) {
      outputs.add(2_000);
    }
    int until = 0;
    while (outputs.ninetieth() >= 1_920) {
      outputs.add(50);
      until++;
      assertThat(until).isLessThan(2 * Outputs.MOST);
    }
    assertThat(until).isBetween(Outputs.MOST, 2 * Outputs.MOST);
  }

  @Test
  void halving_leavesRanksInPlace() {
    Outputs outputs = new Outputs();
    for (int i = 0; i < Outputs.MOST - 1; i++) {
      outputs.add(i % 16);
    }
    long before = outputs.ninetieth();
    outputs.add(15);
    assertThat(outputs.total()).isEqualTo(Outputs.MOST / 2);
    assertThat(outputs.ninetieth()).isEqualTo(before);
  }

  @Test
  void threadsThatAddAtOnce_loseNothing() throws Exception {
    Outputs outputs = new Outputs();
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      long tokens = 10L << t;
      threads[t] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 200; i++) {
                      outputs.add(tokens);
                    }
                  });
    }
    for (Thread thread : Arrays.asList(threads)) {
      thread.join();
    }
    assertThat(outputs.total()).isEqualTo(800);
    assertThat(outputs.ninetieth()).isBetween(80L, 87L);
  }

  @Test
  void ninetiethThatIsTheLastOfItsLength_isNotBeyond() {
    Outputs outputs = new Outputs();
    for (int i = 0; i < 27; i++) {
      outputs.add(5);
    }
    outputs.add(100);
    outputs.add(100);
    // rank 27 of 29
    assertThat(outputs.ninetieth()).isEqualTo(5);
  }

  @Test
  void octavesFromTheLeastToTheMost_areKeptAndNoOthers() {
    Outputs outputs = new Outputs();
    assertThat(outputs).hasToString("Outputs[from 0: []]");
    outputs.add(120);
    assertThat(outputs).hasToString("Outputs[from 64: [0, 0, 0, 0, 0, 0, 0, 1]]");
    outputs.add(65);
    assertThat(outputs).hasToString("Outputs[from 64: [1, 0, 0, 0, 0, 0, 0, 1]]");
    outputs.add(144);
    assertThat(outputs)
        .hasToString("Outputs[from 64: [1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]]");
    outputs.add(35);
    assertThat(outputs)
        .hasToString(
            "Outputs[from 32: [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1,"
                + " 0, 1, 0, 0, 0, 0, 0, 0]]");
  }
}
