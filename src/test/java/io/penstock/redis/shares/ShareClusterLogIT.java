package io.penstock.redis.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.Message;
import io.penstock.time.Ticker;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests what is logged while one master of a cluster is away. */
@Order(2) // takes long
@Isolated("it reads what is logged")
class ShareClusterLogIT {
  private final LogCapture log = LogCapture.listen();
  private long number;

  /** Sends a beat to each slot; returns how many answer. */
  private long answers(List<RedisShareStore> stores) {
    return stores.stream().filter(this::answers).count();
  }

  private boolean answers(RedisShareStore store) {
    Beat beat =
        new Beat(
            ++number,
            ShareEpoch.NONE,
            0,
            0,
            false,
            false,
            false,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            false,
            false,
            List.of(),
            0);
    return PatientWaits.join(
        store
            .exchange(new Message("a", List.of(), beat))
            .handle((reply, failure) -> failure == null));
  }

  private List<String> lines() {
    return log.lines().stream().filter(line -> line.contains("shared limits: ")).toList();
  }

  @Test
  void masterThatIsAway_isSaidOnce_althoughOthersAnswer() {
    try (log;
        RedisCluster redis = RedisCluster.started(3, "cluster-require-full-coverage no");
        RedisLink link =
            new RedisLink(
                RedisAddress.parse(redis.url(), null, null), null, 1_000, Ticker.system())) {
      List<RedisShareStore> stores = RedisShareStore.of(link, "ns", Ticker.system());
      PatientWaits.await("answers of all slots").until(() -> answers(stores) == 4);
      int started = lines().size();
      RedisServer master = redis.ownerOf("ns:instances:{3}");
      master.kill();
      PatientWaits.await("a slot that is away").until(() -> answers(stores) == 3);
      for (int i = 0; i < 5; i++) {
        answers(stores);
      }
      assertThat(lines().subList(started, lines().size()))
          .as("each trouble once")
          .isNotEmpty()
          .doesNotHaveDuplicates();
      master.start();
      PatientWaits.await("answers of all slots").until(() -> answers(stores) == 4);
      int before = lines().size();
      master.kill();
      PatientWaits.await("a slot that is away again").until(() -> answers(stores) == 3);
      assertThat(lines().size()).as("all was well between").isGreaterThan(before);
    }
  }
}
