package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.redis.RedisTrouble.Kind;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it reads what is logged")
class TroubleLogTest {
  /** Beginning of its own log lines, because other tests log meanwhile. */
  private final String name = "of " + UUID.randomUUID();

  private final LogCapture logCapture = LogCapture.listen();
  private final TroubleLog troubleLog = new TroubleLog(name, "limit");

  @AfterEach
  void close() {
    logCapture.close();
  }

  private List<String> lines() {
    return logCapture.lines().stream()
        .filter(line -> line.startsWith("WARN ") && line.contains(name))
        .toList();
  }

  @Test
  void whatGoesOn_isSaidOnceAndCountedEachTime() {
    for (int i = 0; i < 5; i++) {
      troubleLog.recordFailure(new RedisTrouble(Kind.MEMORY));
    }
    assertThat(lines()).hasSize(1);
    assertThat(lines().getFirst()).contains("out of memory");
    assertThat(troubleLog.counts()).containsExactly(Map.entry(Kind.MEMORY, 5L));
  }

  @Test
  void whatComesAndGoes_isSaidOnce_untilAllIsWell() {
    for (int i = 0; i < 5; i++) {
      troubleLog.recordFailure(new RedisTrouble(Kind.SLOW));
      troubleLog.recordFailure(new RedisTrouble(Kind.AWAY));
    }
    assertThat(lines()).hasSize(2);
    troubleLog.recordSuccess();
    troubleLog.recordSuccess();
    troubleLog.recordFailure(new RedisTrouble(Kind.SLOW));
    assertThat(lines()).hasSize(3);
  }

  @Test
  void pause_isCountedAndNotSaid() {
    troubleLog.recordFailure(new RedisTrouble(Kind.PAUSED));
    assertThat(lines()).isEmpty();
    assertThat(troubleLog.counts()).containsKey(Kind.PAUSED);
  }

  @Test
  void limit_isSaidOnce_untilItIsWell() {
    RedisTrouble foreign = new RedisTrouble(Kind.VALUE);
    troubleLog.recordFailure("key k", foreign);
    troubleLog.recordFailure("key k", foreign);
    troubleLog.recordSuccess("key other");
    assertThat(lines()).hasSize(1);
    troubleLog.recordSuccess("key k");
    troubleLog.recordFailure("key k", foreign);
    assertThat(lines()).hasSize(2);
    assertThat(troubleLog.counts()).containsEntry(Kind.VALUE, 3L);
  }
}
