package io.penstock.redis.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RawRedis;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareUse;
import io.penstock.sharing.LimitId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prints how long Redis takes for the scripts of shares; the time itself is not asserted. */
class ShareCostIT {
  private static final int MESSAGES = 2_000;
  private static final long CAPACITY = 1_000_000;
  private static final Pattern STATISTICS =
      Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=\\d+,usec_per_call=([0-9.]+)");
  private static final LimitId ID =
      new LimitId(LimitId.Kind.UPSTREAM, "up", "model", LimitMeasure.TOKENS, 60_000_000_000L);
  private static final String KEY = ShareScript.key("ns", ID);

  private final RawRedis redis;
  private BeatAnswer last =
      new BeatAnswer(
          ShareEpoch.NONE,
          0,
          0,
          false,
          false,
          false,
          false,
          List.of(),
          List.of(),
          List.of(),
          0,
          true);

  private long number;

  ShareCostIT() throws IOException {
    redis = new RawRedis(RedisServer.started());
    redis.call("SCRIPT", "LOAD", ShareScript.SCRIPT.text());
    redis.call("SCRIPT", "LOAD", BeatScript.SCRIPT.text());
  }

  @AfterEach
  void close() throws IOException {
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 200})
  void scripts_calledByManyInstances_takeATimeThatIsPrinted(int instances) throws IOException {
    beat(instances, 2 * instances);
    call(instances, instances);
    redis.call("CONFIG", "RESETSTAT");
    call(instances, MESSAGES);
    String share = micros();
    redis.call("CONFIG", "RESETSTAT");
    beat(instances, MESSAGES);
    System.out.printf(
        "%d instances: share.lua takes %s µs, beat.lua %s µs, the hash of a limit %s bytes%n",
        instances, share, micros(), redis.call("MEMORY", "USAGE", KEY, "SAMPLES", "0"));
    assertThat(redis.call("HLEN", KEY)).isEqualTo(instances + 1L);
    assertThat(last.peers()).hasSize(instances);
  }

  private String micros() throws IOException {
    Matcher matcher = STATISTICS.matcher(String.valueOf(redis.call("INFO", "commandstats")));
    assertThat(matcher.find()).isTrue();
    assertThat(matcher.group(1)).isEqualTo(String.valueOf(MESSAGES));
    return matcher.group(2);
  }

  private static String name(long number) {
    return "gateway-7d9f8b-%03d.k2x9q1".formatted(number);
  }

  private Object run(String script, String key, List<String> arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("EVALSHA", script, "1", key));
    words.addAll(arguments);
    redis.send(words);
    return redis.answer();
  }

  /** Each instance needs a little more than its part, and one in three waits. */
  private void call(int instances, int count) throws IOException {
    long part = CAPACITY / instances;
    for (int i = 0; i < count; i++) {
      number++;
      long held = part * (i % 4) / 4;
      long first = i % 3 == 0 ? part : 0;
      ShareUse use =
          new ShareUse(CAPACITY, held, held, first, part, part, ShareUse.Cell.NONE, false, 60_000);
      Call call =
          new Call(
              ID,
              number,
              number,
              last.epoch(),
              true,
              held,
              Long.MAX_VALUE,
              use,
              List.of(),
              List.of());
      List<String> arguments = ShareScript.arguments(name(i % instances), call, "ns:shares");
      Object answer = run(ShareScript.SCRIPT.sha1(), KEY, arguments);
      assertThat(ShareScript.answer(ID, answer).taken()).isTrue();
    }
  }

  private void beat(int instances, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      number++;
      Beat beat =
          new Beat(
              number,
              last.epoch(),
              last.count(),
              last.version(),
              true,
              false,
              true,
              last.peers(),
              List.of(),
              List.of(),
              i % 3 == 0 ? List.of(ID) : List.of(),
              true,
              false,
              List.of(),
              0);
      List<String> arguments =
          BeatScript.arguments(name(i % instances), beat, "e" + number, 10_000, 1_000);
      last = BeatScript.answer(run(BeatScript.SCRIPT.sha1(), "ns:instances:0", arguments));
    }
  }
}
