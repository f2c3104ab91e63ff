package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.Logged;
import io.penstock.sync.RedisTrouble.Kind;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it reads what is logged")
class TroublesTest {
  /** Beginning of its own log lines, because other tests log meanwhile. */
  private final String name = "of " + UUID.randomUUID();

  private final Logged logged = Logged.listen();
  private final Troubles troubles = new Troubles(name, "limit");

  @AfterEach
  void close() {
    logged.close();
  }

  private List<String> lines() {
    return logged.lines().stream()
        .filter(line -> line.startsWith("WARN ") && line.contains(name))
        .toList();
  }

  @Test
  void whatGoesOn_isSaidOnceAndCountedEachTime() {
    for (int i = 0; i < 5; i++) {
      troubles.failed(new RedisTrouble(Kind.MEMORY));
    }
    assertThat(lines()).hasSize(1);
    assertThat(lines().getFirst()).contains("out of memory");
    assertThat(troubles.counts()).containsExactly(Map.entry(Kind.MEMORY, 5L));
  }

  @Test
  void whatComesAndGoes_isSaidOnce_untilAllIsWell() {
    for (int i = 0; i < 5; i++) {
      troubles.failed(new RedisTrouble(Kind.SLOW));
      troubles.failed(new RedisTrouble(Kind.AWAY));
    }
    assertThat(lines()).hasSize(2);
    troubles.well();
    troubles.well();
    troubles.failed(new RedisTrouble(Kind.SLOW));
    assertThat(lines()).hasSize(3);
    assertThat(troubles.good()).isEqualTo(2);
  }

  @Test
  void pause_isCountedAndNotSaid() {
    troubles.failed(new RedisTrouble(Kind.PAUSED));
    assertThat(lines()).isEmpty();
    assertThat(troubles.counts()).containsKey(Kind.PAUSED);
  }

  @Test
  void limit_isSaidOnce_untilItIsWell() {
    RedisTrouble foreign = new RedisTrouble(Kind.VALUE);
    troubles.failed("key k", foreign);
    troubles.failed("key k", foreign);
    troubles.well("key other");
    assertThat(lines()).hasSize(1);
    troubles.well("key k");
    troubles.failed("key k", foreign);
    assertThat(lines()).hasSize(2);
    assertThat(troubles.counts()).containsEntry(Kind.VALUE, 3L);
  }
}
