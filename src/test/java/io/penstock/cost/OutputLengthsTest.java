package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputLengthsTest {
  @Test
  void answersCountFromTheFirst_andAreKnownFromTheTwentieth() {
    OutputLengths outputLengths = new OutputLengths();
    assertThat(outputLengths.ninetieth()).isEqualTo(OutputLengths.UNKNOWN);
    for (int i = 0; i < OutputLengths.ENOUGH - 1; i++) {
      outputLengths.add(100);
      assertThat(outputLengths.ninetieth()).isBetween(100L, 103L);
    }
    assertThat(outputLengths.known()).isFalse();
    outputLengths.add(100);
    assertThat(outputLengths.known()).isTrue();
    assertThat(outputLengths.ninetieth()).isBetween(100L, 103L);
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
    OutputLengths outputLengths = new OutputLengths();
    for (int i = 0; i < 20; i++) {
      outputLengths.add(tokens);
    }
    assertThat(outputLengths.ninetieth()).isEqualTo(expected);
  }

  @Test
  void oneToTwenty_haveTheirNinetiethBelowTheLongest() {
    OutputLengths outputLengths = new OutputLengths();
    for (int i = 1; i <= 20; i++) {
      outputLengths.add(i);
    }
    assertThat(outputLengths.ninetieth()).isEqualTo(19);
  }

  @Test
  void answersOfAnyLength_stayWithinNineTimesOfTen() {
    SplittableRandom random = new SplittableRandom(4);
    for (int shape = 0; shape < 5; shape++) {
      OutputLengths outputLengths = new OutputLengths();
      int within = 0;
      int asked = 0;
      for (int i = 0; i < 20_000; i++) {
        long tokens = draw(random, shape);
        if (outputLengths.total() >= OutputLengths.ENOUGH) {
          asked++;
          within += tokens <= outputLengths.ninetieth() ? 1 : 0;
        }
        outputLengths.add(tokens);
        assertThat(outputLengths.total()).isLessThan(OutputLengths.MOST);
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
    OutputLengths outputLengths = new OutputLengths();
    for (int i = 0; i < 100_000; i++) {
      outputLengths.add(2_000);
    }
    int until = 0;
    while (outputLengths.ninetieth() >= 1_920) {
      outputLengths.add(50);
      until++;
      assertThat(until).isLessThan(2 * OutputLengths.MOST);
    }
    assertThat(until).isBetween(OutputLengths.MOST, 2 * OutputLengths.MOST);
  }

  @Test
  void halving_leavesRanksInPlace() {
    OutputLengths outputLengths = new OutputLengths();
    for (int i = 0; i < OutputLengths.MOST - 1; i++) {
      outputLengths.add(i % 16);
    }
    long before = outputLengths.ninetieth();
    outputLengths.add(15);
    assertThat(outputLengths.total()).isEqualTo(OutputLengths.MOST / 2);
    assertThat(outputLengths.ninetieth()).isEqualTo(before);
  }

  @Test
  void threadsThatAddAtOnce_loseNothing() throws Exception {
    OutputLengths outputLengths = new OutputLengths();
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      long tokens = 10L << t;
      threads[t] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < 200; i++) {
                      outputLengths.add(tokens);
                    }
                  });
    }
    for (Thread thread : Arrays.asList(threads)) {
      thread.join();
    }
    assertThat(outputLengths.total()).isEqualTo(800);
    assertThat(outputLengths.ninetieth()).isBetween(80L, 87L);
  }

  @Test
  void ninetiethThatIsTheLastOfItsLength_isNotBeyond() {
    OutputLengths outputLengths = new OutputLengths();
    for (int i = 0; i < 27; i++) {
      outputLengths.add(5);
    }
    outputLengths.add(100);
    outputLengths.add(100);
    // rank 27 of 29
    assertThat(outputLengths.ninetieth()).isEqualTo(5);
  }

  @Test
  void octavesFromTheLeastToTheMost_areKeptAndNoOthers() {
    OutputLengths outputLengths = new OutputLengths();
    assertThat(outputLengths).hasToString("Outputs[from 0: []]");
    outputLengths.add(120);
    assertThat(outputLengths).hasToString("Outputs[from 64: [0, 0, 0, 0, 0, 0, 0, 1]]");
    outputLengths.add(65);
    assertThat(outputLengths).hasToString("Outputs[from 64: [1, 0, 0, 0, 0, 0, 0, 1]]");
    outputLengths.add(144);
    assertThat(outputLengths)
        .hasToString("Outputs[from 64: [1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]]");
    outputLengths.add(35);
    assertThat(outputLengths)
        .hasToString(
            "Outputs[from 32: [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1,"
                + " 0, 1, 0, 0, 0, 0, 0, 0]]");
  }
}
