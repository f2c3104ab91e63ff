package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisProgram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the arithmetic in Lua, on a real server, with that in Java, over random histories. */
class GrantDifferentialIT {
  private static final int HISTORIES = Boolean.getBoolean("penstock.deep") ? 10_000 : 500;
  private static final int AT_ONCE = 50;
  private static final int ROUNDS = 20;

  private record Sent(long seed, int step, GrantHistory.Step said) {}

  @ParameterizedTest
  @EnumSource
  void randomHistories_everyAnswerIsTheSameInJavaAndLua(RedisProgram program) throws IOException {
    program.assumeInstalled();
    int histories = program.histories(HISTORIES);
    long granted = 0;
    long grantedChanged = 0;
    try (RawRedis redis = new RawRedis(program.started())) {
      String script = (String) redis.call("SCRIPT", "LOAD", GrantScript.source());
      for (long seed = 1; seed <= histories; seed += AT_ONCE) {
        for (Sent sent : play(redis, script, seed)) {
          Object answer = redis.answer();
          List<Long> expected = sent.said().answer();
          granted += expected.size() > 5 ? 1 : 0;
          grantedChanged += expected.size() > 5 && sent.said().changed() ? 1 : 0;
          if (!expected.equals(answer)) {
            assertThat(answer)
                .as("seed %d step %d: %s", sent.seed(), sent.step(), sent.said().call())
                .isEqualTo(expected);
          }
        }
        redis.call("FLUSHALL");
      }
    }
    assertThat(granted).isGreaterThan(histories);
    assertThat(grantedChanged).isGreaterThan(histories / 10);
  }

  private static List<Sent> play(RawRedis redis, String script, long first) throws IOException {
    List<Sent> sent = new ArrayList<>();
    for (long seed = first; seed < first + AT_ONCE; seed++) {
      int step = 0;
      for (GrantHistory.Step said : new GrantHistory(seed).play(ROUNDS)) {
        List<String> words = new ArrayList<>(List.of("EVALSHA", script, "1", said.call().key()));
        words.addAll(said.call().arguments());
        redis.send(words);
        sent.add(new Sent(seed, step, said));
        step++;
      }
    }
    return sent;
  }
}
