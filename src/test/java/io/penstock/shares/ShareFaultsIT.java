package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FaultProxy;
import io.penstock.fake.MachineStalls;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.shares.FaultyFleet.Limit;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts at an upstream what three gateways in processes of their own let go of shared limits,
 * while Redis or one of them fails. It prints a line for each fault: by how much each limit was
 * exceeded (in brackets, with windows of the full length), and what was served, in percent of what
 * the gateways held that did not fail.
 *
 * <p>{@code -Dpenstock.shares.faults} selects others than the usual ones: {@code all}, or a list
 * such as {@code redis_empty:60:skewed,cut_off}, with the seconds of the fault, and with the load
 * of the gateways: {@code even}, or {@code skewed}, where one gets nine tenths.
 */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class ShareFaultsIT {
  private static final String FAULTS =
      System.getProperty("penstock.shares.faults", "redis_empty:5:even,gateway_stopped:14:even");

  private static final long SECOND = 1_000_000_000L;

  /** A window after a fault, and the time that the next one gives a changed load. */
  private static final long REST_SECONDS = 11;

  /**
   * How much longer one request may travel from its release to the note of its arrival than another
   * one, on a machine that is not busy: windows are counted that are shorter by this.
   */
  private static final long TRIP_NANOS = SECOND / 4;

  private static final long BUSY_TRIP_NANOS = SECOND;

  /** Does something to the fleet. */
  private interface Step {
    void on(FaultyFleet fleet) throws IOException;
  }

  @SuppressWarnings("ImmutableEnumChecker") // the steps have no state
  private enum Fault {
    REDIS_ENDED(redis(RedisServer::end), redis(RedisServer::start), 5, 60),
    REDIS_EMPTY(ShareFaultsIT::lose, redis(RedisServer::start), 5, 60),
    REDIS_OLDER(redis(RedisServer::kill), redis(RedisServer::start), 5, 60),
    REDIS_STOPPED(redis(RedisServer::pause), redis(RedisServer::resume), 5, 60),
    LOADING(ShareFaultsIT::load, FaultyFleet::empty, 5),
    READ_ONLY(said("REPLICAOF 127.0.0.1 1"), said("REPLICAOF NO ONE"), 5, 30),
    PASSWORD(
        said("ACL SETUSER app resetpass >other;CLIENT KILL USER app"),
        said("ACL SETUSER app >secret"),
        5,
        30),
    CONNECTIONS(FaultyFleet::crowd, FaultyFleet::makeRoom, 5, 30),
    FLUSHED(redis(RedisServer::flush), fleet -> {}, 5),
    SLOW(fleet -> delay(fleet, 600), fleet -> delay(fleet, 0), 20),
    CUT_OFF(
        fleet -> fleet.proxy(0).become(FaultProxy.Manner.BLACK_HOLE),
        fleet -> fleet.proxy(0).become(FaultProxy.Manner.FINE),
        40),
    GATEWAY_STOPPED(fleet -> fleet.gateway(0).pause(), fleet -> fleet.gateway(0).resume(), 20),
    GATEWAY_KILLED(fleet -> fleet.kill(0), fleet -> fleet.replace(0), 20),
    BOTH_STOPPED(ShareFaultsIT::stopBoth, ShareFaultsIT::resumeBoth, 20),
    BOTH_KILLED(ShareFaultsIT::killBoth, ShareFaultsIT::startBoth, 20),
    NEWCOMER(ShareFaultsIT::addInOutage, ShareFaultsIT::endNewcomer, 30);

    private final Step begins;
    private final Step ends;
    private final List<Integer> seconds;

    Fault(Step begins, Step ends, Integer... seconds) {
      this.begins = begins;
      this.ends = ends;
      this.seconds = List.of(seconds);
    }

    /** Returns the first gateway that does not stop with the fault. */
    int firstLiving() {
      return name().startsWith("GATEWAY") || name().startsWith("BOTH") ? 1 : 0;
    }
  }

  private record Trial(Fault fault, int seconds, boolean skewed) {
    static Stream<Trial> parse(String text) {
      String[] parts = text.toUpperCase(Locale.ROOT).split(":", -1);
      Fault fault = Fault.valueOf(parts[0]);
      List<Integer> seconds = parts.length > 1 ? List.of(Integer.valueOf(parts[1])) : fault.seconds;
      List<String> loads = List.of(parts.length > 2 ? parts[2] : "EVEN,SKEWED");
      return seconds.stream()
          .flatMap(
              each ->
                  Stream.of("EVEN", "SKEWED")
                      .filter(load -> loads.getFirst().contains(load))
                      .map(load -> new Trial(fault, each, load.equals("SKEWED"))));
    }

    String text() {
      String name = fault.name().toLowerCase(Locale.ROOT);
      return "%-15s %3d s %-6s".formatted(name, seconds, skewed ? "skewed" : "even");
    }
  }

  /**
   * Shares of a limit when a fault begins.
   *
   * @param living those of the gateways that go on
   * @param conceded what may be spent besides the whole limit: the share of one that alone is cut
   *     off, or a part of the limit if it has none
   */
  private record Held(long living, long conceded) {
    static Held of(Fault fault, Limit limit, long[] shares) {
      long living = Arrays.stream(shares).skip(fault.firstLiving()).sum();
      long own = shares[0] == 0 ? limit.capacity() / shares.length : shares[0];
      return new Held(Math.min(living, limit.capacity()), fault == Fault.CUT_OFF ? own : 0);
    }
  }

  private final Ticker ticker = Ticker.system();
  private final MachineStalls stalls = new MachineStalls();
  private final List<String> failures = new ArrayList<>();

  @TempDir private Path directory;

  @AfterEach
  void endMeasuring() {
    stalls.close();
  }

  private static Step redis(Consumer<RedisServer> step) {
    return fleet -> step.accept(fleet.redis());
  }

  private static Step said(String commands) {
    return fleet ->
        Stream.of(commands.split(";")).forEach(each -> fleet.redis().command(each.split(" ")));
  }

  private static void lose(FaultyFleet fleet) {
    fleet.redis().kill();
    fleet.redis().forget();
  }

  private static void load(FaultyFleet fleet) {
    fleet.fill();
    fleet.redis().end();
    fleet.redis().start();
  }

  private static void delay(FaultyFleet fleet, long millis) {
    for (int i = 0; i < FaultyFleet.SIZE; i++) {
      fleet.proxy(i).delay(millis);
    }
  }

  private static void stopBoth(FaultyFleet fleet) throws IOException {
    fleet.redis().end();
    fleet.gateway(0).pause();
  }

  private static void resumeBoth(FaultyFleet fleet) throws IOException {
    fleet.redis().start();
    fleet.gateway(0).resume();
  }

  private static void killBoth(FaultyFleet fleet) {
    lose(fleet);
    fleet.kill(0);
  }

  private static void startBoth(FaultyFleet fleet) throws IOException {
    fleet.redis().start();
    fleet.replace(0);
  }

  private static void addInOutage(FaultyFleet fleet) throws IOException {
    fleet.redis().end();
    fleet.add();
  }

  private static void endNewcomer(FaultyFleet fleet) {
    assertThat(fleet.isNewcomerReady()).as("ready without Redis").isFalse();
    fleet.redis().start();
    fleet.remove();
  }

  private static List<Trial> trials() {
    Stream<String> named =
        FAULTS.equals("all")
            ? Arrays.stream(Fault.values()).map(Fault::name)
            : Stream.of(FAULTS.split(","));
    return named.flatMap(Trial::parse).sorted(Comparator.comparing(Trial::skewed)).toList();
  }

  private void last(long seconds) {
    long until = ticker.nanos() + seconds * SECOND;
    PatientWaits.await("the end of a time").until(() -> ticker.nanos() >= until);
  }

  /** Returns the most that arrived in any window that ends from an instant on. */
  private static long most(long[] arrivals, long windowNanos, long from) {
    int first = 0;
    long most = 0;
    for (int last = 0; last < arrivals.length; last++) {
      while (arrivals[first] <= arrivals[last] - windowNanos) {
        first++;
      }
      most = arrivals[last] < from ? most : Math.max(most, last - first + 1);
    }
    return most;
  }

  private void run(Trial trial, FaultyFleet fleet) throws IOException {
    fleet.redis().save();
    last(fleet.load(trial.skewed()) ? REST_SECONDS : 1);
    Map<Limit, Held> held = new EnumMap<>(Limit.class);
    for (Limit each : Limit.values()) {
      held.put(each, Held.of(trial.fault(), each, fleet.held(each)));
    }
    long begin = ticker.nanos();
    long unixMillis = WallClock.system().unixMillis();
    trial.fault().begins.on(fleet);
    last(trial.seconds());
    trial.fault().ends.on(fleet);
    long end = ticker.nanos();
    fleet.awaitSettled(Instant.ofEpochMilli(WallClock.system().unixMillis()));
    double settled = (ticker.nanos() - end) / 1e9;
    last(REST_SECONDS);
    List<String> refused = fleet.refused(unixMillis);
    StringBuilder line = new StringBuilder(trial.text());
    held.forEach((limit, of) -> line.append(figures(trial, limit, of, fleet, begin)));
    line.append(" | refused %d | settled after %.1f s".formatted(refused.size(), settled));
    System.out.println(line);
    if (!refused.isEmpty()) {
      failures.add("%s refused %s".formatted(trial, refused.getFirst()));
    }
  }

  /** Returns what arrived of one limit since a fault began, in whole tens of seconds. */
  private String figures(Trial trial, Limit limit, Held held, FaultyFleet fleet, long begin) {
    long[] arrivals = fleet.arrivals(limit);
    long window = limit.seconds() * SECOND;
    long span = Math.ceilDiv(trial.seconds(), 10) * 10L * SECOND;
    long exact = Math.max(0, most(arrivals, window, begin) - limit.capacity());
    long trip = stalls.busy(window) ? BUSY_TRIP_NANOS : TRIP_NANOS;
    long over = Math.max(0, most(arrivals, window - trip, begin) - limit.capacity());
    if (over > held.conceded()) {
      failures.add("%s: %s is over by %d".formatted(trial, limit, over));
    }
    long served = Arrays.stream(arrivals).filter(at -> at >= begin && at < begin + span).count();
    return " | %s: over %d (%d), conceded %d, held %d, served %.0f %%"
        .formatted(
            limit.name().toLowerCase(Locale.ROOT),
            over,
            exact,
            held.conceded(),
            held.living(),
            100.0 * served * window / span / held.living());
  }

  @Test
  void faultsUnderLoad_exceedNoLimit_andRefuseNothing() throws Exception {
    try (FaultyFleet fleet = new FaultyFleet(directory)) {
      for (Trial trial : trials()) {
        run(trial, fleet);
      }
    }
    assertThat(failures).isEmpty();
  }
}
