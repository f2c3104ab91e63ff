package io.penstock.redis.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisProgram;
import io.penstock.redis.RawRedis;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the scripts of shares, on real servers, with those in Java, over random histories. */
class ShareDifferentialIT {
  private static final int HISTORIES = Boolean.getBoolean("penstock.deep") ? 4_000 : 200;
  private static final int STEPS = 120;

  @ParameterizedTest
  @EnumSource
  void randomHistories_everyAnswerIsTheSameInJavaAndLua(RedisProgram program) throws IOException {
    program.assumeInstalled();
    int histories = program.histories(HISTORIES);
    Map<String, Integer> happened = new HashMap<>();
    try (RawRedis one = new RawRedis(program.started());
        RawRedis other = new RawRedis(program.started())) {
      for (RawRedis each : List.of(one, other)) {
        each.call("SCRIPT", "LOAD", ShareScript.SCRIPT.text());
        each.call("SCRIPT", "LOAD", BeatScript.SCRIPT.text());
      }
      LongStream seeds =
          LongStream.concat(
              LongStream.rangeClosed(1, histories), LongStream.of(new Random().nextLong()));
      for (long seed : seeds.toArray()) {
        play(seed, new ShareHistory(seed, List.of(one, other), happened));
      }
    }
    for (String what : ShareHistory.HAPPENINGS) {
      assertThat(happened.getOrDefault(what, 0)).as(what).isGreaterThan(histories / 4);
    }
  }

  private static void play(long seed, ShareHistory history) throws IOException {
    for (int step = 0; step < STEPS; step++) {
      ShareHistory.Compared both = history.step();
      if (!both.said().equals(both.expected())) {
        assertThat(both.said())
            .as("seed %d, step %d: %s", seed, step, both.message())
            .isEqualTo(both.expected());
      }
    }
  }
}
