package io.penstock.counts;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisProgram;
import io.penstock.fake.RedisServer;
import io.penstock.redis.LuaScript;
import io.penstock.redis.RawRedis;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.MemoryCountStore;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares counts in Lua, on real servers, with those in Java, over random histories. */
class CountsDifferentialIT {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final int STEPS = 40;

  private record Sent(int step, String limit, CountsHistory.Step said, List<Count> expected) {}

  private static long[] seeds(int histories) {
    return LongStream.concat(
            LongStream.rangeClosed(1, histories), LongStream.of(new Random().nextLong()))
        .toArray();
  }

  /** Compares one limit, as its script keeps it; data may be lost, and the clock set back. */
  @ParameterizedTest
  @EnumSource
  void oneLimit_everyAnswerIsTheSameInJavaAndLua(RedisProgram program) throws IOException {
    program.assumeInstalled();
    int histories = program.histories(DEEP ? 20_000 : 300);
    long reported = 0;
    LuaScript luaScript = LuaScript.read("counts.lua");
    try (RawRedis redis = new RawRedis(program.started())) {
      redis.call("SCRIPT", "LOAD", luaScript.text());
      for (long seed : seeds(histories)) {
        for (Sent sent : play(redis, luaScript.sha1(), seed)) {
          if (sent.said().all()) {
            redis.answer();
          }
          CountsRead read = new CountsRead();
          Object answer = redis.answer();
          read.take(sent.limit(), answer instanceof RawRedis.Failure ? null : answer);
          reported += sent.expected().size();
          assertSame(seed, sent.step(), sent.said(), read.others(0), sent.expected());
        }
      }
    }
    assertThat(reported).isGreaterThan(20L * histories);
  }

  private static List<Sent> play(RawRedis redis, String script, long seed) throws IOException {
    CountsHistory history = new CountsHistory(seed, 1);
    AtomicLong now = new AtomicLong();
    MemoryCountStore memory = new MemoryCountStore(now::get);
    List<Sent> sent = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      CountsHistory.Step next = history.next(true);
      now.set(next.unixMillis());
      if (next.all()) {
        memory = new MemoryCountStore(now::get);
        redis.send(List.of("DEL", history.limit()));
      }
      List<String> words = new ArrayList<>(List.of("EVALSHA", script, "1", history.limit()));
      words.addAll(List.of(next.writer(), String.valueOf(next.unixMillis())));
      for (Count count : next.own()) {
        words.add(count.id().field());
        words.addAll(List.of(String.valueOf(count.cell()), String.valueOf(count.amount())));
      }
      redis.send(words);
      List<Count> expected =
          memory.exchange(next.writer(), next.own()).toCompletableFuture().join();
      sent.add(new Sent(step, history.limit(), next, expected));
    }
    return sent;
  }

  private static void assertSame(
      long seed, int step, CountsHistory.Step said, List<Count> answer, List<Count> expected) {
    if (answer.size() != expected.size()
        || !new HashSet<>(answer).equals(new HashSet<>(expected))) {
      assertThat(answer)
          .as("seed %d, step %d: %s", seed, step, said)
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  /** Compares several limits; only limits changed by others are read. */
  @ParameterizedTest
  @EnumSource
  void someLimits_everyExchangeIsTheSameInMemoryAndInRedis(RedisProgram program) {
    program.assumeInstalled();
    int histories = program.histories(DEEP ? 1_000 : 16);
    long reported = 0;
    try (RedisServer server = program.started()) {
      RedisLink link =
          new RedisLink(
              RedisAddress.parse(server.url(), null, null),
              null,
              PatientWaits.LONGEST_MILLIS,
              Ticker.system());
      for (long seed : seeds(histories)) {
        CountsHistory history = new CountsHistory(seed, 3);
        AtomicLong now = new AtomicLong();
        MemoryCountStore memory = new MemoryCountStore(now::get);
        RedisCountStore redis =
            new RedisCountStore(link, "h" + seed, Ticker.system(), now::get, true);
        for (int step = 0; step < STEPS; step++) {
          CountsHistory.Step next = history.next(false);
          now.set(next.unixMillis());
          List<Count> expected =
              memory.exchange(next.writer(), next.own()).toCompletableFuture().join();
          List<Count> answer = PatientWaits.join(redis.exchange(next.writer(), next.own()));
          reported += expected.size();
          assertSame(seed, step, next, answer, expected);
        }
      }
      link.close();
    }
    assertThat(reported).isGreaterThan(40L * histories);
  }
}
