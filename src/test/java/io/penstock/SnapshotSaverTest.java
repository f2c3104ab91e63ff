package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.cost.Weight;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.PatientWaits;
import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("listens to what is logged")
class SnapshotSaverTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final long WALL = 1_700_000_000_000L;
  private static final LimitSpec SPEC = new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, 100);
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, 60 * SECOND);
  private static final Duration OFTEN = Duration.ofMillis(1);
  private static final Duration NEVER = Duration.ofDays(1);

  private final FakeTicker ticker = new FakeTicker();
  private final AtomicLong wall = new AtomicLong(WALL);
  private final SnapshotSaver.Clocks clocks = new SnapshotSaver.Clocks(ticker, wall::get);
  private final LocalLimitSource limits = new LocalLimitSource();
  private final UsageLedger ledger = new UsageLedger(wall::get, 10);
  private final Disk disk = new Disk();

  /** A store that saves when the test allows it, or fails. */
  private static final class Disk implements SnapshotStore {
    final BlockingQueue<Snapshot> saved = new LinkedBlockingQueue<>();
    volatile boolean full;
    volatile boolean small;
    final AtomicInteger failures = new AtomicInteger();
    private final AtomicBoolean saving = new AtomicBoolean();
    volatile boolean closed;

    @Override
    public void save(Snapshot snapshot) throws IOException {
      assertThat(saving.compareAndSet(false, true)).as("nobody else saves").isTrue();
      boolean fails = full;
      saving.set(false);
      if (small) {
        failures.incrementAndGet();
        throw new OutOfMemoryError("Java heap space");
      }
      if (fails) {
        failures.incrementAndGet();
        throw new IOException("state.yaml: the disk is full");
      }
      saved.add(snapshot);
    }

    @Override
    public Snapshot load() {
      return Snapshot.EMPTY;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private SnapshotSaver saver(Duration interval) {
    StateFile file = new StateFile("state.yaml", interval, disk, Snapshot.EMPTY);
    Map<String, ModelLimits> overrides = Map.of("m", new ModelLimits(1, 2, 3));
    SnapshotSaver snapshotSaver = new SnapshotSaver(file, clocks, limits, ledger, () -> overrides);
    snapshotSaver.start();
    return snapshotSaver;
  }

  @Test
  void closed_savesAllThereIsOnce() {
    ticker.set(5 * SECOND);
    limits.limit(ID, SPEC, ticker.nanos()).take(Weight.exactly(7), ticker.nanos());
    ledger.add("k", null, "m", new TokenUsage(3, 0, 4));
    SnapshotSaver snapshotSaver = saver(NEVER);
    snapshotSaver.close();
    snapshotSaver.close();
    assertThat(disk.saved).hasSize(1);
    Snapshot saved = disk.saved.remove();
    assertThat(saved.overrides()).containsOnlyKeys("m");
    assertThat(saved.usage()).hasSize(1);
    assertThat(saved.spent()).isEqualTo(Map.of(ID, List.of(new Spent((WALL + 1_001) * MILLI, 7))));
    assertThat(disk.closed).isTrue();
  }

  @Test
  void goesOnAfterAFailure_andSaysOnceThatItFailedAndThatItIsWellAgain() throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger("io.penstock.state");
    var lines = new ListAppender<ILoggingEvent>();
    log.setLevel(Level.INFO);
    lines.start();
    log.addAppender(lines);
    disk.full = true;
    try (SnapshotSaver _ = saver(OFTEN)) {
      PatientWaits.await().until(() -> disk.failures.get() > 2);
      disk.full = false;
      PatientWaits.take(disk.saved);
      PatientWaits.take(disk.saved);
    } finally {
      log.detachAppender(lines);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "state is not saved, what was saved before stays: state.yaml: the disk is full",
            "state is saved again");
  }

  @Test
  void goesOnOnceThereIsMemoryAgain() throws Exception {
    disk.small = true;
    try (SnapshotSaver _ = saver(OFTEN)) {
      PatientWaits.await().until(() -> disk.failures.get() > 0);
      disk.small = false;
      PatientWaits.take(disk.saved);
    }
  }

  @Test
  void noFile_savesNothing() {
    StateFile file = new StateFile(null, OFTEN, disk, Snapshot.EMPTY);
    SnapshotSaver snapshotSaver = new SnapshotSaver(file, clocks, limits, ledger, Map::of);
    snapshotSaver.start();
    snapshotSaver.close();
    assertThat(disk.saved).isEmpty();
  }

  private static ChargedCell only(Map<LimitId, List<ChargedCell>> cells) {
    return cells.getOrDefault(ID, List.of()).getFirst();
  }

  /** Whatever times the clocks show, no tokens count for a shorter time than they would have. */
  @Test
  void thereAndBack_neverMakesAnythingEarlier() {
    Random random = new Random(7);
    for (int turn = 0; turn < 10_000; turn++) {
      long trueWallNanos = WALL * MILLI + random.nextLong(1_000 * SECOND);
      long now = random.nextLong(1_000 * SECOND);
      long age = random.nextLong(100 * SECOND) - SECOND;
      wall.set(trueWallNanos / MILLI);
      var spent = clocks.toWall(Map.of(ID, List.of(new ChargedCell(now - age, 1))), now);
      long pause = random.nextLong(100 * SECOND);
      long origin = random.nextLong(1_000 * SECOND);
      long later = (trueWallNanos + pause) / MILLI;
      ChargedCell back = only(clocks.toCells(spent, later, origin));
      assertThat(origin - back.atNanos()).isBetween(age + pause - 2 * MILLI, age + pause);
    }
  }

  @Test
  void clockThatWasSetBack_makesNothingYoungerThanNow() {
    Limit limit = limits.limit(ID, SPEC, 0);
    limit.take(Weight.exactly(100), 0);
    var spent = clocks.toWall(limits.owed(0), 0);
    long hourAgo = WALL - 3_600_000;
    LocalLimitSource restarted = new LocalLimitSource();
    restarted.inherit(clocks.toCells(spent, hourAgo, 0), 0);
    Limit again = restarted.limit(ID, SPEC, 0);
    assertThat(again.admittedAt(1, 0)).isBetween(60 * SECOND, 62 * SECOND);
  }
}
