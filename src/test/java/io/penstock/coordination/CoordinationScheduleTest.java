package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients arrive, release, give up and change sizes at random; the grants are compared with those
 * of a simple list.
 */
class CoordinationScheduleTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long EXPIRES = 2 * SECOND;
  private static final int STEPS = 1_000;
  private static final ObjectReply TIMED_OUT = new ObjectReply.TimedOut();

  /** State of one client in the oracle. */
  private static final class Client {
    final ClientTurn turn;
    final long deadlineNanos;
    final String key;
    boolean waits = true;
    boolean has;
    boolean took;
    long sinceNanos;

    Client(ClientTurn clientTurn, long deadlineNanos, String key) {
      this.turn = clientTurn;
      this.deadlineNanos = deadlineNanos;
      this.key = key;
    }
  }

  private Random random = new Random();
  private final ManualAlarm alarm = new ManualAlarm();
  private final MemoryCoordination memory =
      new MemoryCoordination(ObjectBounds.DEFAULT, alarm.ticker, () -> 0, alarm);
  private final List<Client> clients = new ArrayList<>();
  private long size = 3;
  private long served;

  static LongStream seeds() {
    return LongStream.concat(LongStream.range(0, 60), LongStream.of(new Random().nextLong()));
  }

  private long now() {
    return alarm.ticker.nanos();
  }

  private void arrive(boolean bucket) {
    if (random.nextInt(20) == 0) {
      size = random.nextInt(6);
    }
    String key = "k" + clients.size();
    ObjectOperation operation =
        bucket
            ? new ObjectOperation.TakeToken(size, SECOND)
            : new ObjectOperation.Acquire(size, key, EXPIRES);
    long maxWait =
        switch (random.nextInt(3)) {
          case 0 -> 0;
          case 1 -> 1 + random.nextLong(3 * SECOND);
          default -> CoordinationService.FOR_EVER;
        };
    long deadline = maxWait < 0 ? Ticker.NEVER : now() + maxWait;
    clients.add(new Client(memory.call("it", operation, maxWait), deadline, key));
  }

  private Client any() {
    return clients.get(random.nextInt(clients.size()));
  }

  /** Advances the clock, at most to the next instant at which something can change. */
  private void pass(long mostNanos) {
    long end = now() + random.nextLong(mostNanos);
    for (Client client : clients) {
      if (client.waits && client.deadlineNanos > now()) {
        end = Math.min(end, client.deadlineNanos);
      }
      if (client.has && client.sinceNanos + EXPIRES > now()) {
        end = Math.min(end, client.sinceNanos + EXPIRES);
      }
    }
    end = Math.min(end, (now() / SECOND + 1) * SECOND);
    alarm.pass(end - now());
  }

  /**
   * Records the clients that have an answer now, and fails unless they were served in order of
   * arrival.
   */
  private void note() {
    boolean somebodyWaits = false;
    for (Client client : clients) {
      if (!client.waits) {
        continue;
      }
      ObjectReply objectReply = client.turn.reply();
      if (objectReply == null) {
        assertThat(client.deadlineNanos).as("nobody is forgotten").isGreaterThan(now());
        somebodyWaits = true;
        continue;
      }
      client.waits = false;
      if (objectReply.equals(TIMED_OUT)) {
        assertThat(client.deadlineNanos).as("nobody is sent away early").isEqualTo(now());
        continue;
      }
      assertThat(somebodyWaits).as("who came first goes first").isFalse();
      client.has = true;
      client.sinceNanos = now();
      served++;
    }
  }

  private long has() {
    return clients.stream().filter(client -> client.has).count();
  }

  private boolean anybodyWaits() {
    return clients.stream().anyMatch(client -> client.waits);
  }

  /** Removes grants that have ended: tokens of earlier intervals, and expired permits. */
  private void age(boolean bucket) {
    for (Client client : clients) {
      boolean over =
          bucket
              ? client.sinceNanos / SECOND < now() / SECOND
              : client.sinceNanos + EXPIRES <= now();
      client.has &= !over;
    }
  }

  private void step(boolean bucket) {
    long before = has();
    switch (random.nextInt(bucket ? 4 : 5)) {
      case 0, 1 -> arrive(bucket);
      case 2 -> pass(SECOND);
      case 3 -> {
        if (!clients.isEmpty()) {
          Client client = any();
          if (random.nextBoolean()) {
            client.took |= client.turn.take();
          } else {
            giveUp(client);
          }
        }
      }
      default -> {
        if (!clients.isEmpty()) {
          Client client = any();
          memory.call("it", new ObjectOperation.Release(client.key), 0);
          client.has = false;
        }
      }
    }
    age(bucket);
    note();
    assertThat(has()).as("never more than there is").isLessThanOrEqualTo(Math.max(size, before));
    if (anybodyWaits()) {
      assertThat(has()).as("nobody waits for nothing").isGreaterThanOrEqualTo(size);
    }
  }

  /** Cancels the turn of a client; a grant that it did not take is free for others. */
  private static void giveUp(Client client) {
    client.turn.cancel();
    client.waits = false;
    client.has &= client.took;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void bucket_isAsAListWouldHaveIt(long seed) {
    run(seed, true);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void semaphore_isAsAListWouldHaveIt(long seed) {
    run(seed, false);
  }

  private void run(long seed, boolean bucket) {
    random = new Random(seed);
    arrive(bucket); // so that the intervals begin with the clock
    note();
    for (int step = 0; step < STEPS; step++) {
      step(bucket);
    }
    assertThat(served).as("seed " + seed).isGreaterThan(10);
  }
}
