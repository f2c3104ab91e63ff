package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.event.Event;
import io.penstock.explain.QueueSnapshot;
import io.penstock.explain.WaitReasons;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.DisciplineFactory;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.QueueOrder;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests how many tickets and lanes are looked at for one arrival, release, wake-up, expiry or list,
 * whatever was sent: keys that name as many models as they like, and long queues.
 */
class LookBoundTest {
  private static final long START = 1_000_000 * SECOND;
  private static final long WINDOW = 100 * SECOND;

  /** Requests that go in one window. */
  private static final int ROOM = 50;

  private final Map<ParkedTicket, Refusal> refused = new HashMap<>();
  private final List<ParkedTicket> granted = new ArrayList<>();
  private long numbers;
  private long now = START;

  /** An endpoint at which each model has a quota of its own besides the one for all. */
  private final class Models implements RouteSource, DispatchListener, TicketListener {
    private final QueueOrder order;
    private final Map<String, Quota> ofModel = new HashMap<>();
    private final Quota own = quota("endpoint", ROOM);

    Models(QueueOrder order) {
      this.order = order;
    }

    private static Quota quota(String name, long capacity) {
      LimitSpec spec = new LimitSpec.FixedWindow(capacity, WINDOW);
      Limit limit = new Limit(spec, START);
      return new Quota(
          name, ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit)));
    }

    @Override
    public List<TicketRoute> of(LaneKey laneKey, long at) {
      String model = String.valueOf(laneKey.model());
      Quota quota = ofModel.computeIfAbsent(model, name -> quota(name, 1_000));
      return List.of(new TicketRoute(null, null, null, quota, List.of(quota, own)));
    }

    @Override
    public @Nullable String keptTo(
        TicketRequest.RequestAffinity affinity, @Nullable String model, long at) {
      return null;
    }

    @Override
    public RefusalReason noRouteReason(@Nullable String model) {
      return RefusalReason.NO_UPSTREAM_FOR_MODEL;
    }

    @Override
    public QueueBounds bounds() {
      return new QueueBounds(100_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED);
    }

    @Override
    public int maxBlocked() {
      return 0;
    }

    @Override
    public int maxSkips() {
      return 64;
    }

    @Override
    public QueueDiscipline<ParkedTicket> discipline() {
      return DisciplineFactory.create(order, 0, 1);
    }

    @Override
    public Runnable signal() {
      return () -> {};
    }

    @Override
    public void granted(ParkedTicket ticket, TicketSettlement settlement) {
      granted.add(ticket);
    }

    @Override
    public void refused(ParkedTicket ticket, Refusal refusal) {
      refused.put(ticket, refusal);
    }

    @Override
    public void clientLeft(ParkedTicket ticket, long at) {}

    @Override
    public String path() {
      return "/a";
    }

    @Override
    public void unwanted(ParkedTicket ticket) {}

    @Override
    public void refuse(ParkedTicket ticket, Refusal refusal) {}

    @Override
    public void settled(ParkedTicket ticket, TicketFate fate, @Nullable Refusal refusal, long at) {}

    @Override
    public void used(ParkedTicket ticket, @Nullable String model, KeptUsage kept) {}

    @Override
    public void usageKnown(ParkedTicket ticket, long tokens) {}

    @Override
    public void requeued(ParkedTicket ticket, ParkedTicket next) {}

    @Override
    public void cacheLearned(CacheNews cacheNews) {}

    @Override
    public void publish(Event event) {}
  }

  private Models models = new Models(QueueOrder.FIFO);
  private Dispatcher dispatcher = new Dispatcher(models, models, new WaitReasons());

  private void order(QueueOrder order) {
    models = new Models(order);
    dispatcher = new Dispatcher(models, models, new WaitReasons());
  }

  private ParkedTicket arrive(String key, String model, long tokens, long timeout, long wait) {
    TicketRequest request =
        RequestFixture.of(model, Cost.ofInput(tokens))
            .flow(new TicketRequest.Flow(key, 1))
            .origin(new TicketRequest.Origin(null, key, null))
            .made();
    long deadline = wait == Ticker.NEVER ? Ticker.NEVER : now + wait;
    TicketTerms terms = new TicketTerms(deadline, timeout, Ticker.NEVER);
    ParkedTicket ticket = new ParkedTicket(models, numbers++, request, terms, now, null);
    dispatcher.arrive(ticket, now);
    return ticket;
  }

  private ParkedTicket arrive(String key, String model) {
    return arrive(key, model, 1, 0, Ticker.NEVER);
  }

  /** Uses up the window, so that whatever comes later waits. */
  private void fill() {
    for (int each = 0; each < ROOM; each++) {
      arrive("first", "first");
    }
    assertThat(granted).hasSize(ROOM);
  }

  private long looks(Runnable action) {
    long before = dispatcher.looks();
    action.run();
    return dispatcher.looks() - before;
  }

  /** Lets many keys wait for as many models as each may. */
  private void crowd(int tickets) {
    for (int each = 0; each < tickets; each++) {
      arrive(
          "k" + each % 40, "m" + each % 40 + "-" + each / 40 % 90, 1 + each % 7, 0, Ticker.NEVER);
    }
  }

  @Test
  void keyThatWaitsForManyModels_getsOneMoreGroupUpToTheBound() {
    fill();
    for (int each = 0; each < LaneIndex.MOST_OF_TENANT; each++) {
      assertThat(arrive("mallory", "m" + each).waits()).isTrue();
    }
    ParkedTicket more = arrive("mallory", "one more");
    assertThat(more.state()).isEqualTo(State.REFUSED);
    assertThat(refused.get(more))
        .satisfies(
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(RefusalReason.QUEUE_FULL);
              assertThat(refusal.detail()).contains("64 combinations");
            });
    assertThat(arrive("mallory", "m7").waits()).as("no new group").isTrue();
    assertThat(arrive("alice", "one more").waits()).as("another key").isTrue();
    assertThat(arrive("mallory", "one more").waits()).as("the group is there now").isTrue();
  }

  @Test
  void groupsOfManyKeys_leaveEachKeyOne() {
    fill();
    crowd(20_000);
    assertThat(dispatcher.waitingRoom().lanes().all())
        .hasSizeBetween(LaneIndex.MOST_MORE / 2, LaneIndex.MOST_MORE + 40);
    for (int each = 0; each < 1_000; each++) {
      assertThat(arrive("alice " + each, "her own " + each).waits()).isTrue();
    }
    ParkedTicket second = arrive("alice 7", "her second");
    assertThat(second.waits()).as("some more are free").isTrue();
  }

  @Test
  void keyWithAllItsGroups_isNotRefusedIfItCanGoAtOnce() {
    fill();
    for (int each = 0; each < LaneIndex.MOST_OF_TENANT; each++) {
      arrive("mallory", "m" + each, 1, 0, 10 * SECOND);
    }
    now += WINDOW;
    ParkedTicket ticket = arrive("mallory", "one more");
    while (dispatcher.step(now) <= now) {
      assertThat(ticket.state()).as("while others expire").isEqualTo(State.PARKED);
    }
    assertThat(ticket.state()).isEqualTo(State.GRANTED);
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void arrivalWithATimeout_looksAtFew(QueueOrder order) {
    order(order);
    fill();
    crowd(12_000);
    for (int each = 0; each < 50; each++) {
      String model = "m3-" + each;
      long looks = looks(() -> arrive("alice", model, 4, SECOND, Ticker.NEVER));
      assertThat(looks).isLessThanOrEqualTo(LookCount.MOST);
    }
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void release_looksAtFewAndTheRestGoesInTheNextTurns(QueueOrder order) {
    order(order);
    fill();
    crowd(12_000);
    now += WINDOW;
    long[] next = {now};
    int turns = 0;
    while (next[0] <= now) {
      long looks = looks(() -> next[0] = dispatcher.step(now));
      assertThat(looks).isLessThan(2 * LookCount.MOST);
      turns++;
    }
    assertThat(granted).hasSize(2 * ROOM);
    assertThat(turns).as("others have a turn in between").isGreaterThan(1);
  }

  @Test
  void manyExpireAtOnce_eachTurnTakesSome() {
    fill();
    for (int each = 0; each < 10_000; each++) {
      arrive("alice", "m" + each % 20, 1, 0, 10 * SECOND);
    }
    now += 10 * SECOND + 1;
    long[] next = {now};
    while (next[0] <= now) {
      long looks = looks(() -> next[0] = dispatcher.step(now));
      assertThat(looks).isLessThan(2 * LookCount.MOST);
    }
    assertThat(refused).hasSize(10_000);
    assertThat(dispatcher.waitingRoom().tickets()).isZero();
  }

  @Test
  void list_endsAfterSoMany() {
    fill();
    for (int each = 0; each < 3_000; each++) {
      arrive("alice", "m");
    }
    assertThat(QueueSnapshot.of(dispatcher, List.of(), 20_000, now).places()).hasSize(1_600);
  }

  @Test
  void estimateThatLeavesSomeOut_saysAtLeast() {
    order(QueueOrder.PRIORITY);
    fill();
    crowd(12_000);
    ParkedTicket ticket = arrive("alice", "m3-3", 4, SECOND, Ticker.NEVER);
    assertThat(refused.get(ticket))
        .satisfies(
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(RefusalReason.ESTIMATED_WAIT_EXCEEDS_TIMEOUT);
              assertThat(refusal.detail()).contains("at least");
            });
  }

  private static long processorNanos(Runnable action) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    action.run();
    return threads.getCurrentThreadCpuTime() - before;
  }

  /** Returns the longest turn of arrivals that are refused, and of a window that begins. */
  private long longestTurn(QueueOrder order) {
    granted.clear();
    order(order);
    fill();
    crowd(12_000);
    for (int each = 0; each < 1_000; each++) {
      arrive("alice " + each, "her own " + each);
    }
    long longest = 0;
    for (int each = 0; each < 200; each++) {
      String model = "m3-" + each % 50;
      longest =
          Math.max(longest, processorNanos(() -> arrive("alice", model, 4, SECOND, Ticker.NEVER)));
    }
    now += WINDOW;
    long[] next = {now};
    while (next[0] <= now) {
      longest = Math.max(longest, processorNanos(() -> next[0] = dispatcher.step(now)));
    }
    return longest;
  }

  /** The time is the processor's, so that other work of the machine does not count. */
  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void turn_takesTheProcessorFor20MillisecondsAtMost(QueueOrder order) {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < 3; run++) {
      least = Math.min(least, longestTurn(order));
    }
    assertThat(least).as("nanoseconds, once the code is compiled").isLessThan(20_000_000);
  }
}
