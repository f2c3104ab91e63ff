package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.LimitMeasure;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Two instances that share limits in two slots, of which each has a master of its own. */
class ShareSlotsTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final Terms TERMS = new Terms(Kind.TRAILING, 40, SECOND);
  private static final ShareTerms TIMES =
      new ShareTerms(
          3 * SECOND, SECOND, SECOND / 2, SECOND / 10, 3 * SECOND, /* continues= */ false);

  /** The slots of the limits below. */
  private static final List<Integer> SLOTS = List.of(0, 0, 0, 0, 1, 1);

  private static final List<LimitId> LIMITS =
      List.of(
          limit("c", LimitMeasure.REQUESTS),
          limit("c", LimitMeasure.TOKENS),
          limit("a", LimitMeasure.REQUESTS),
          limit("h", LimitMeasure.REQUESTS),
          limit("d", LimitMeasure.REQUESTS),
          limit("e", LimitMeasure.REQUESTS));

  private record Event(long at, long order, Runnable action) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final Random random = new Random(1);
  private final ShareOracle oracle = new ShareOracle();
  private final List<Slot> stores = List.of(new Slot("first"), new Slot("second"));
  private final List<Instance> instances = new ArrayList<>();

  /** Instances whose messages come to no store any more. */
  private final Set<String> silent = new HashSet<>();

  private long order;
  private long now;
  private int tags;

  private static LimitId limit(String name, LimitMeasure measure) {
    return new LimitId(LimitId.Kind.KEY, name, "", measure, SECOND);
  }

  private void at(long instant, Runnable action) {
    events.add(new Event(Math.max(now, instant), order++, action));
  }

  private void run(long nanos) {
    long until = now + nanos;
    while (!events.isEmpty() && events.peek().at() <= until) {
      Event event = events.remove();
      now = event.at();
      event.action().run();
    }
    now = until;
  }

  /** A master that has one slot. */
  private final class Slot implements ShareStore {
    private MemoryShareStore data;
    private boolean away;
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

    Slot(String run) {
      data =
          new MemoryShareStore(
              run, () -> "e" + tags++, EnumSet.noneOf(MemoryShareStore.Rule.class));
    }

    private long epoch() {
      return last.epoch().number();
    }

    private boolean hasLeft(String member) {
      return last.peers().stream()
          .anyMatch(each -> each.member().equals(member) && each.life() == Life.LEFT);
    }

    @Override
    public CompletionStage<Reply> exchange(Message message) {
      CompletableFuture<Reply> reply = new CompletableFuture<>();
      at(
          now + MILLI,
          () -> {
            if (away || silent.contains(message.member())) {
              reply.completeExceptionally(new IllegalStateException("away"));
            } else {
              Reply answer = data.carryOut(message);
              last = answer.beat();
              reply.complete(answer);
            }
          });
      return reply;
    }
  }

  private final class Alarm implements StepAlarm {
    private long set = Ticker.NEVER;

    @Override
    public void soon(Runnable step) {
      ShareSlotsTest.this.at(now, step);
    }

    @Override
    public void at(long instantNanos, Runnable step) {
      set = instantNanos;
      if (instantNanos != Ticker.NEVER) {
        ShareSlotsTest.this.at(instantNanos, () -> run(instantNanos, step));
      }
    }

    private void run(long instantNanos, Runnable step) {
      if (set == instantNanos) {
        set = Ticker.NEVER;
        step.run();
      }
    }
  }

  /** An instance with a client for each limit that always waits. */
  private final class Instance {
    private final int index = instances.size();
    private final String name = "m" + index;
    private final ShareSlots slots;
    private final Map<LimitId, SpentLimit> limits = new HashMap<>();
    private final Map<LimitId, Integer> went = new LinkedHashMap<>();

    Instance() {
      List<ShareSync> syncs = new ArrayList<>();
      for (Slot each : stores) {
        syncs.add(
            new ShareSync(
                name,
                each,
                () -> now,
                new Alarm(),
                TIMES,
                new CountedLimits(() -> 0, 1_000_000_000, id -> true, OutagePolicy.CONTINUE, 0),
                random::nextDouble));
      }
      slots = new ShareSlots(syncs);
      for (LimitId id : LIMITS) {
        SpentLimit limit =
            new SpentLimit(TERMS, slots.lease(id), wall -> wall, () -> slots.hurry(id));
        limits.put(id, limit);
        slots.add(id, limit);
      }
      slots.start();
      LIMITS.forEach(this::arrive);
      look();
    }

    private void arrive(LimitId id) {
      limits.get(id).arrive(1, () -> go(id), now);
    }

    private void go(LimitId id) {
      went.merge(id, 1, Integer::sum);
      oracle.released(new ShareOracle.Release(id, index, 1, now, now, now));
      at(now + 5 * MILLI, () -> arrive(id));
    }

    private void look() {
      limits.values().forEach(limit -> limit.look(now));
      at(now + 10 * MILLI, this::look);
    }

    /** Returns the limits of which nothing goes for a while. */
    private List<LimitId> standing() {
      went.clear();
      run(2 * SECOND);
      return LIMITS.stream().filter(id -> !went.containsKey(id)).toList();
    }
  }

  private static List<LimitId> of(int slot) {
    return LIMITS.stream().filter(id -> SLOTS.get(LIMITS.indexOf(id)) == slot).toList();
  }

  private void start() {
    instances.add(new Instance());
    instances.add(new Instance());
    run(10 * SECOND);
    assertThat(instances).allMatch(each -> each.slots.isReady());
    assertThat(instances.get(0).standing()).isEmpty();
    assertThat(instances.get(1).standing()).isEmpty();
  }

  private long over() {
    Map<LimitId, Terms> terms = new HashMap<>();
    LIMITS.forEach(id -> terms.put(id, TERMS));
    return oracle.worst(terms).over();
  }

  @Test
  void eachLimit_liesInOneSlot_thatFollowsFromItsName() {
    start();
    for (LimitId id : LIMITS) {
      List<Boolean> there = stores.stream().map(each -> each.data.stated(id, "m0") >= 0).toList();
      int slot = SLOTS.get(LIMITS.indexOf(id));
      assertThat(there).as("slots of %s", id).containsExactly(slot == 0, slot == 1);
    }
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void masterThatIsAway_takesItsLimitsAlone() {
    start();
    stores.get(1).away = true;
    run(4 * SECOND);
    Instance first = instances.getFirst();
    assertThat(first.standing()).isEqualTo(of(1));
    assertThat(first.slots.isReady()).isTrue();
    Instance late = new Instance();
    instances.add(late);
    assertThat(late.slots.isReady()).isFalse();
    run(2 * SECOND);
    assertThat(late.slots.isReady()).as("listed by the master that answers").isTrue();
    assertThat(first.slots.figures())
        .extracting(each -> each.limits().shared(), each -> each.contact().cutOff())
        .containsExactly(tuple(4, false), tuple(2, true));
    stores.get(0).away = true;
    run(4 * SECOND);
    assertThat(first.slots.isReady()).as("it keeps what it has").isTrue();
    assertThat(first.standing()).isEqualTo(LIMITS);
    stores.forEach(each -> each.away = false);
    run(8 * SECOND);
    assertThat(late.standing()).isEmpty();
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void instanceThatNoMasterHasListed_isNotReady() {
    stores.forEach(each -> each.away = true);
    Instance only = new Instance();
    run(20 * SECOND);
    assertThat(only.slots.isReady()).isFalse();
    assertThat(only.standing()).isEqualTo(LIMITS);
  }

  @Test
  void slotThatMoves_beginsAnEpoch_othersGoOn() {
    start();
    stores.get(1).data = stores.get(1).data.inRun("third");
    run(3 * SECOND);
    Instance first = instances.getFirst();
    assertThat(stores.get(0).epoch()).isEqualTo(1);
    assertThat(stores.get(1).epoch()).isEqualTo(2);
    assertThat(first.standing()).isEmpty();
    assertThat(instances.get(1).standing()).isEmpty();
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void slotThatIsLost_isStatedAnew() {
    start();
    stores.get(0).data.flush();
    run(3 * SECOND);
    assertThat(stores.get(0).epoch()).isEqualTo(2);
    assertThat(instances.getFirst().standing()).isEmpty();
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void limitThatEnds_goesToTheOther() {
    start();
    LimitId id = LIMITS.getLast();
    Instance first = instances.getFirst();
    assertThat(first.slots.figures(id)).isNotNull();
    first.slots.remove(id);
    run(4 * SECOND);
    assertThat(first.slots.figures(id)).isNull();
    assertThat(first.standing()).containsExactly(id);
    assertThat(instances.getLast().limits.get(id).share(now)).isGreaterThan(TERMS.capacity() / 2);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void instanceThatLeaves_leavesAllSlots() {
    start();
    Instance leaving = instances.getFirst();
    CompletableFuture<?> left = leaving.slots.leave().toCompletableFuture();
    run(SECOND);
    assertThat(left).isCompleted();
    run(3 * SECOND);
    Instance staying = instances.getLast();
    assertThat(stores).allMatch(each -> each.hasLeft(leaving.name));
    assertThat(LIMITS).allMatch(id -> staying.limits.get(id).share(now) > TERMS.capacity() / 2);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  private ShareRelease release(Instance asked, String name) {
    CompletableFuture<ShareRelease> answer = asked.slots.release(name).toCompletableFuture();
    run(SECOND);
    return answer.join();
  }

  @Test
  void instanceThatIsGone_isReleasedInAllSlotsThatAnswer() {
    start();
    Instance asked = instances.getLast();
    Instance gone = instances.getFirst();
    assertThat(release(asked, gone.name)).isEqualTo(ShareRelease.LIVES);
    assertThat(release(asked, asked.name)).isEqualTo(ShareRelease.LIVES);
    silent.add(gone.name);
    run(8 * SECOND);
    assertThat(release(asked, gone.name)).extracting("slots", "away").containsExactly(2, 0);
    stores.get(1).away = true;
    run(4 * SECOND);
    assertThat(release(asked, gone.name)).extracting("slots", "away").containsExactly(1, 1);
    stores.get(0).away = true;
    run(4 * SECOND);
    assertThat(release(asked, gone.name)).extracting("slots", "away").containsExactly(0, 2);
  }

  @Test
  void instanceThatLeavesWhileAMasterIsAway_leavesTheOthers() {
    start();
    stores.get(1).away = true;
    CompletableFuture<?> left = instances.getFirst().slots.leave().toCompletableFuture();
    run(SECOND);
    assertThat(left).isCompletedExceptionally();
    run(2 * SECOND);
    assertThat(stores.getFirst().hasLeft("m0")).isTrue();
  }
}
