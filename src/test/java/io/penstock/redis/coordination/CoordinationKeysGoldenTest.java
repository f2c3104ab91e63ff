package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectOperation;
import io.penstock.fake.FaultProxy;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisRecord;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the data of the coordination API in Redis, and the publications between its instances,
 * with golden records.
 */
@Tag(GoldenRecords.TAG)
class CoordinationKeysGoldenTest {
  private static final long SECOND = 1_000_000_000L;
  private static final RedisServer SERVER = RedisServer.shared();

  private final FaultProxy way = new FaultProxy(SERVER.port());
  private final RedisCrew crew =
      new RedisCrew(
          List.of(address(SERVER.port()), address(way.port())),
          new ObjectBounds(10, 100, 1_000_000, 1, 100, 3_600 * SECOND));
  private final RedisLink link =
      new RedisLink(address(SERVER.port()), null, PatientWaits.LONGEST_MILLIS, Ticker.system());
  private final RedisRecord redis = new RedisRecord(SERVER, crew.namespace);

  private static RedisAddress address(int port) {
    return RedisAddress.parse("redis://127.0.0.1:" + port, null, null);
  }

  @AfterEach
  void close() {
    way.become(FaultProxy.Manner.RESET);
    crew.close();
    link.close();
    way.close();
  }

  private ClientTurn ask(int member, String name, ObjectOperation operation) {
    ClientTurn turn = crew.members.get(member).call(name, operation, CoordinationService.FOR_EVER);
    crew.settle();
    redis.note();
    return turn;
  }

  /**
   * Hides numbers that depend on how soon instances hear of each other: how often they send
   * heartbeats.
   */
  private static String steady(String record) {
    return record.replaceAll("(?m)^(  n:m\\d\\.1 = )'\\d+'$", "$1'<number>'");
  }

  /**
   * Makes one instance serve another at objects of all kinds, and leaves waiting turns at most of
   * them.
   */
  private void use() {
    ObjectOperation token = new ObjectOperation.TakeToken(1, 10 * SECOND);
    ask(0, "a:b é", token);
    ask(1, "a:b é", token);
    ask(0, "s", new ObjectOperation.Acquire(1, "place", 60 * SECOND));
    ask(1, "s", new ObjectOperation.Acquire(1, "other place", 0));
    ask(0, "w", new ObjectOperation.Kick(5 * SECOND));
    ask(1, "w", new ObjectOperation.AwaitSilence());
    ask(0, "c", new ObjectOperation.Count(3));
    ask(1, "b", new ObjectOperation.Arrive(3));
    ask(1, "e", new ObjectOperation.AwaitEvent());
  }

  @Test
  void objects_areStoredAsRecorded() {
    use();
    GoldenRecords.check("stored/redis-coordination.txt", steady(redis.of(":*")));
  }

  @Test
  void instances_tellEachOtherWhatIsRecorded_andKeepAnswersUntilTheyAreHeard() {
    List<String> received = new CopyOnWriteArrayList<>();
    String channel = crew.namespace + ":coordination:m1";
    PatientWaits.join(link.listen(channel, received::add, () -> {}));
    ask(1, "e", new ObjectOperation.AwaitEvent());
    way.become(FaultProxy.Manner.BLACK_HOLE);
    crew.members.getFirst().call("e", new ObjectOperation.Send("hello\nworld"), 0);
    PatientWaits.await("word of the event")
        .until(() -> received.stream().anyMatch(each -> each.contains("hello")));
    PatientWaits.await("the answer").until(crew.members.getFirst()::settled);
    redis.note();
    List<String> messages =
        received.stream()
            .map(each -> each.matches("\\d+") ? "<number>" : each.replace(crew.namespace, "NS"))
            .map(each -> "NS:coordination:m1 " + each.replace("\n", "\\n"))
            .distinct()
            .toList();
    assertThat(messages).hasSize(2);
    GoldenRecords.check("stored/redis-channels.txt", String.join("\n", messages));
    GoldenRecords.check("stored/redis-unheard.txt", redis.of(":coordination:{event:*"));
  }
}
