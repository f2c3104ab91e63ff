package io.penstock;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.event.Events;
import io.penstock.metrics.SyncMeters;
import io.penstock.park.SchedulerAlarm;
import io.penstock.quota.AfterDenial;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Others;
import io.penstock.quota.Sharing;
import io.penstock.quota.SharingTerms;
import io.penstock.quota.Supply;
import io.penstock.region.RegionSettings;
import io.penstock.region.Regions;
import io.penstock.sync.CountedLimitSource;
import io.penstock.sync.Exchange;
import io.penstock.sync.KeysClaim;
import io.penstock.sync.Pace;
import io.penstock.sync.RedisCounts;
import io.penstock.sync.RedisLink;
import io.penstock.sync.RedisSupply;
import io.penstock.sync.RedisTrouble;
import io.penstock.sync.RoundFigures;
import io.penstock.sync.Rounds;
import io.penstock.sync.SharedLimitSource;
import io.penstock.sync.SyncSettings;
import io.penstock.sync.Troubles;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The limits of this instance: its own limits, or those it shares with other instances through
 * Redis, and with other regions. Safe from any thread.
 */
final class Limits implements AutoCloseable {
  /** Longest time to wait for an answer of Redis. */
  private static final int TIMEOUT_MILLIS = 1_000;

  private static final int NAME_BYTES = 6;

  /** The configured ways of sharing limits. */
  private static final class Said {
    private final Sharing otherwise;
    private volatile SharingTerms terms = SharingTerms.NONE;
    private volatile Function<String, @Nullable Sharing> ofKey = name -> null;

    Said(Sharing otherwise) {
      this.otherwise = otherwise;
    }

    Sharing of(LimitId id) {
      Sharing own = id.kind() == LimitId.Kind.KEY ? ofKey.apply(id.id()) : null;
      return own == null ? terms.of(id, otherwise) : own;
    }

    boolean isLocal(LimitId id) {
      return of(id) == Sharing.LOCAL;
    }
  }

  private final Said said;
  private final LocalLimitSource local;
  private final LimitSource source;
  private final Others others;
  private final AfterDenial afterDenial;

  /** The counts of other instances of this region; null when there are none. */
  private final Regions.@Nullable Mates mates;

  private final Consumer<MeterRegistry> meters;
  private final Runnable close;

  private Limits(
      Said said,
      LocalLimitSource local,
      LimitSource source,
      Others others,
      AfterDenial afterDenial,
      Regions.@Nullable Mates mates,
      Consumer<MeterRegistry> meters,
      Runnable close) {
    this.said = said;
    this.local = local;
    this.source = source;
    this.others = others;
    this.afterDenial = afterDenial;
    this.mates = mates;
    this.meters = meters;
    this.close = close;
  }

  /**
   * Creates the source of limits, without any limits yet.
   *
   * @param sync how they are shared, or null when this instance is alone
   * @param events are told about changes in this instance's contact with the others
   * @param claim the claim to keys in a file, which no other instance may have meanwhile, or null
   * @param region how they are shared with other regions, or null when there are none
   */
  static Limits of(
      @Nullable SyncSettings sync,
      Saver.Clocks clocks,
      Events events,
      @Nullable KeysClaim claim,
      @Nullable RegionSettings region) {
    Limits limits = of(sync, clocks, events, claim, region != null);
    return region == null ? limits : limits.across(region, clocks);
  }

  private static Limits of(
      @Nullable SyncSettings sync,
      Saver.Clocks clocks,
      Events events,
      @Nullable KeysClaim claim,
      boolean regions) {
    if (sync == null) {
      LocalLimitSource alone = new LocalLimitSource();
      AfterDenial never =
          new AfterDenial(
              id -> false, id -> new CompletableFuture<>(), counts -> {}, clocks.wall());
      Said said = new Said(Sharing.EXACT); // matters only with other regions
      return new Limits(said, alone, alone, Others.NONE, never, null, registry -> {}, () -> {});
    }
    RedisLink link = new RedisLink(sync.address(), sync.trust(), TIMEOUT_MILLIS, clocks.ticker());
    Limits shared = shared(sync, link, clocks, events, regions);
    return claim == null ? shared : shared.holding(claim, link, clocks.ticker());
  }

  private Limits holding(KeysClaim claim, RedisLink link, Ticker ticker) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-keys-claim", ticker);
    claim.hold(link, alarm, ticker);
    Runnable all =
        () -> {
          last(claim.leave(link));
          alarm.close();
          close.run();
        };
    return new Limits(said, local, source, others, afterDenial, mates, meters, all);
  }

  private Limits across(RegionSettings settings, Saver.Clocks clocks) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-region", clocks.ticker());
    Regions regions = new Regions(settings, clocks.ticker(), clocks.wall(), alarm, mates);
    regions.start();
    Runnable all =
        () -> {
          last(regions.leave());
          alarm.close();
          regions.close();
          close.run();
        };
    Consumer<MeterRegistry> both =
        registry -> {
          meters.accept(registry);
          RegionMeters.add(registry, regions.ledger());
        };
    LimitSource over = regions.over(source, said::isLocal);
    return new Limits(said, local, over, others, afterDenial, mates, both, all);
  }

  private static Limits shared(
      SyncSettings sync, RedisLink link, Saver.Clocks clocks, Events events, boolean regions) {
    Ticker ticker = clocks.ticker();
    WallClock wall = clocks.wall();
    SchedulerAlarm grants = new SchedulerAlarm("penstock-grants", ticker);
    SchedulerAlarm counts = new SchedulerAlarm("penstock-counts", ticker);
    String member = member();
    RedisSupply supply =
        new RedisSupply(link, sync.namespace(), sync.sliceTtl().toNanos(), ticker, wall);
    Rounds rounds = rounds(sync, member, supply, grants, ticker);
    RedisCounts told = new RedisCounts(link, sync.namespace(), ticker, wall);
    Exchange exchange = new Exchange(told, member, ticker, wall, exchanges(sync));
    Said said = new Said(sync.sharing());
    SharedLimitSource sliced = new SharedLimitSource(rounds, id -> said.of(id) == Sharing.EXACT);
    LimitSource source =
        new CountedLimitSource(sliced, exchange, said::of, id -> isKnown(id, regions));
    AfterDenial afterDenial =
        new AfterDenial(
            id -> said.of(id) == Sharing.EVENTUAL,
            id -> told.others(member, id),
            exchange::heard,
            wall);
    rounds.tell(events);
    exchange.tell(events);
    rounds.start();
    step(exchange, counts);
    return new Limits(
        said,
        sliced.local(),
        source,
        exchange,
        afterDenial,
        exchange::cells,
        registry -> meter(registry, rounds, supply.troubles(), exchange, told.troubles()),
        () -> {
          last(rounds.leave());
          grants.close();
          counts.close();
          link.close();
        });
  }

  private static boolean isKnown(LimitId id, boolean regions) {
    return switch (id.kind()) {
      case UPSTREAM -> true;
      case KEY, GROUP -> regions;
      case ENDPOINT, MODEL -> false;
    };
  }

  /**
   * Waits for the last round, for one second at most: if Redis does not learn of it now, what is
   * left of this instance's slices cannot be used by others for a while.
   */
  private static void last(CompletionStage<?> round) {
    var _ =
        round
            .handle((answer, failure) -> Boolean.TRUE)
            .toCompletableFuture()
            .completeOnTimeout(Boolean.FALSE, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
            .join();
  }

  /** Creates the meters of a kind of sharing. */
  static void meter(MeterRegistry registry, String what, Supplier<SyncMeters.Way> way) {
    Set<String> kinds =
        Arrays.stream(RedisTrouble.Kind.values()).map(Limits::text).collect(Collectors.toSet());
    SyncMeters.add(registry, what, way, kinds);
  }

  private static void meter(
      MeterRegistry registry, Rounds rounds, Troubles ofRounds, Exchange exchange, Troubles of) {
    meter(
        registry,
        "slices",
        () -> {
          RoundFigures figures = rounds.figures();
          return new Shown(figures.answered(), figures.answeredNanos(), errors(ofRounds));
        });
    meter(
        registry,
        "counts",
        () -> {
          Exchange.Figures figures = exchange.figures();
          return new Shown(figures.answered(), figures.answeredNanos(), errors(of));
        });
    SyncMeters.addSlices(registry, rounds::sliceTokens);
    SyncMeters.addRecovering(registry, () -> rounds.figures().barred());
  }

  /** Values that the meters of a kind of sharing show. */
  record Shown(long answered, long answeredNanos, Map<String, Long> errors)
      implements SyncMeters.Way {}

  /** Returns how often each kind of error occurred. */
  static Map<String, Long> errors(Troubles troubles) {
    return troubles.counts().entrySet().stream()
        .collect(Collectors.toMap(each -> text(each.getKey()), Map.Entry::getValue));
  }

  private static String text(RedisTrouble.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns a random name that no other instance has, and not this one either when it is started
   * again.
   */
  static String member() {
    byte[] bytes = new byte[NAME_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static Rounds rounds(
      SyncSettings sync, String member, Supply supply, SchedulerAlarm alarm, Ticker ticker) {
    long ttlNanos = sync.sliceTtl().toNanos();
    Pace pace = new Pace(sync.interval().toNanos(), ttlNanos, timeoutNanos(sync));
    return new Rounds(
        member, supply, ticker, alarm, pace, sync.onOutage(), new SecureRandom()::nextDouble);
  }

  private static Exchange.Terms exchanges(SyncSettings sync) {
    return new Exchange.Terms(
        sync.interval().toNanos(), timeoutNanos(sync), sync.sliceTtl().toNanos(), sync.onOutage());
  }

  private static long timeoutNanos(SyncSettings sync) {
    return Math.min(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS), sync.sliceTtl().toNanos() / 2);
  }

  private static void step(Exchange exchange, SchedulerAlarm alarm) {
    alarm.soon(() -> alarm.at(exchange.step(), () -> step(exchange, alarm)));
  }

  /** Sets how limits that are configured from now on are shared. */
  void share(SharingTerms terms) {
    said.terms = terms;
  }

  /**
   * Sets how limits of keys that are configured from now on are shared, for keys that state it
   * themselves.
   */
  void shareKeys(Function<String, @Nullable Sharing> ofKey) {
    said.ofKey = ofKey;
  }

  /** Returns the limits that only this instance counts. */
  LocalLimitSource local() {
    return local;
  }

  /** Returns the source of all limits. */
  LimitSource source() {
    return source;
  }

  /** Returns the counts of other instances. */
  Others others() {
    return others;
  }

  /** Returns the service that fetches the counts of all instances after a denial. */
  AfterDenial afterDenial() {
    return afterDenial;
  }

  /** Creates the meters of what is shared, if anything is. */
  void meter(MeterRegistry registry) {
    meters.accept(registry);
  }

  /** Leaves the other instances, and returns what is left of its slices to them. */
  @Override
  public void close() {
    close.run();
  }
}
