package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisProgram;
import io.penstock.slices.LifeHistory;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares the life of a store in Lua, on real servers, with that in Java, over random histories.
 */
class LifeDifferentialIT {
  private static final int HISTORIES = Boolean.getBoolean("penstock.deep") ? 4_000 : 120;
  private static final int STEPS = 80;

  @ParameterizedTest
  @EnumSource
  void randomHistories_everyAnswerIsTheSameInJavaAndLua(RedisProgram program) throws IOException {
    program.assumeInstalled();
    int histories = program.histories(HISTORIES);
    Map<String, Integer> happened = new HashMap<>();
    LuaScript script = LuaScript.read("life.lua");
    try (RawRedis one = new RawRedis(program.started());
        RawRedis other = new RawRedis(program.started())) {
      one.call("SCRIPT", "LOAD", script.text());
      other.call("SCRIPT", "LOAD", script.text());
      LongStream seeds =
          LongStream.concat(
              LongStream.rangeClosed(1, histories), LongStream.of(new Random().nextLong()));
      for (long seed : seeds.toArray()) {
        LifeHistory history = new LifeHistory(seed, List.of(one, other), script.sha1());
        play(seed, history);
        history.happened.forEach((what, times) -> happened.merge(what, times, Integer::sum));
      }
    }
    for (String what : LifeHistory.HAPPENINGS) {
      assertThat(happened.getOrDefault(what, 0)).as(what).isGreaterThan(histories / 2);
    }
  }

  private static void play(long seed, LifeHistory history) throws IOException {
    for (int step = 0; step < STEPS; step++) {
      LifeHistory.Compared both = history.step();
      if (both != null && !both.said().equals(both.expected())) {
        assertThat(both.said())
            .as("seed %d, step %d: %s", seed, step, both.arguments())
            .isEqualTo(both.expected());
      }
    }
  }
}
