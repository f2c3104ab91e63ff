package io.penstock;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.counts.CountSync;
import io.penstock.counts.CountedLimitSource;
import io.penstock.counts.RedisCountStore;
import io.penstock.event.EventSink;
import io.penstock.metrics.SyncMeters;
import io.penstock.park.SchedulerAlarm;
import io.penstock.redis.KeysClaim;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.SharedSecret;
import io.penstock.redis.SharingSettings;
import io.penstock.redis.TroubleLog;
import io.penstock.region.DatabaseRegions;
import io.penstock.region.RegionSettings;
import io.penstock.sharing.DenialRecheck;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms;
import io.penstock.sharing.SharingView;
import io.penstock.sharing.SliceStore;
import io.penstock.slices.RedisSliceStore;
import io.penstock.slices.RoundFigures;
import io.penstock.slices.SharedLimitSource;
import io.penstock.slices.SliceSync;
import io.penstock.slices.SyncPace;
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
public final class LimitWiring implements AutoCloseable {
  /** Longest time to wait for an answer of Redis. */
  private static final int TIMEOUT_MILLIS = 1_000;

  private static final int NAME_BYTES = 6;

  /** The configured ways of sharing limits. */
  private static final class SharingModes {
    private final SharingMode otherwise;
    private final boolean regions;
    private volatile SharingTerms terms = SharingTerms.NONE;
    private volatile Function<String, @Nullable SharingMode> ofKey = name -> null;

    SharingModes(SharingMode otherwise, boolean regions) {
      this.otherwise = otherwise;
      this.regions = regions;
    }

    SharingMode of(LimitId id) {
      SharingMode own = id.kind() == LimitId.Kind.KEY ? ofKey.apply(id.id()) : null;
      return own == null ? terms.of(id, otherwise) : own;
    }

    boolean isLocal(LimitId id) {
      return of(id) == SharingMode.LOCAL;
    }

    /** Returns whether what others use of a limit that is shared so is known at once. */
    boolean knowsOthers(@Nullable SharingMode stated) {
      SharingMode mode = stated == null ? otherwise : stated;
      return mode == SharingMode.LOCAL || (mode == SharingMode.EXACT && !regions);
    }
  }

  private final SharingModes sharingModes;
  private final LocalLimitSource local;
  private final LimitSource source;
  private final KnownPeerCounts knownPeerCounts;
  private final DenialRecheck denialRecheck;

  /** The counts of other instances of this region; null when there are none. */
  private final DatabaseRegions.@Nullable LocalPeers localPeers;

  private final SharingView view;
  private final Consumer<MeterRegistry> meters;
  private final Runnable close;

  private LimitWiring(
      SharingModes sharingModes,
      LocalLimitSource local,
      LimitSource source,
      KnownPeerCounts knownPeerCounts,
      DenialRecheck denialRecheck,
      DatabaseRegions.@Nullable LocalPeers localPeers,
      SharingView view,
      Consumer<MeterRegistry> meters,
      Runnable close) {
    this.sharingModes = sharingModes;
    this.local = local;
    this.source = source;
    this.knownPeerCounts = knownPeerCounts;
    this.denialRecheck = denialRecheck;
    this.localPeers = localPeers;
    this.view = view;
    this.meters = meters;
    this.close = close;
  }

  /**
   * Creates the source of limits, without any limits yet.
   *
   * @param sync how they are shared, or null when this instance is alone
   * @param eventSink are told about changes in this instance's contact with the others
   * @param claim the claim to keys in a file, which no other instance may have meanwhile, or null
   * @param secret a secret that all instances have in common, or null
   * @param region how they are shared with other regions, or null when there are none
   */
  static LimitWiring of(
      @Nullable SharingSettings sync,
      SnapshotSaver.Clocks clocks,
      EventSink eventSink,
      @Nullable KeysClaim claim,
      @Nullable SharedSecret secret,
      @Nullable RegionSettings region) {
    LimitWiring limitWiring = of(sync, clocks, eventSink, claim, secret, region != null);
    return region == null ? limitWiring : limitWiring.across(region, clocks);
  }

  private static LimitWiring of(
      @Nullable SharingSettings sync,
      SnapshotSaver.Clocks clocks,
      EventSink eventSink,
      @Nullable KeysClaim claim,
      @Nullable SharedSecret secret,
      boolean regions) {
    if (sync == null) {
      LocalLimitSource alone = new LocalLimitSource();
      DenialRecheck never =
          new DenialRecheck(
              id -> false, id -> new CompletableFuture<>(), counts -> {}, clocks.wall());
      SharingModes sharingModes =
          new SharingModes(SharingMode.EXACT, regions); // matters only with other regions
      return new LimitWiring(
          sharingModes,
          alone,
          alone,
          KnownPeerCounts.NONE,
          never,
          null,
          SharingView.ALONE,
          registry -> {},
          () -> {});
    }
    RedisLink link = new RedisLink(sync.address(), sync.trust(), TIMEOUT_MILLIS, clocks.ticker());
    LimitWiring shared = shared(sync, link, clocks, eventSink, regions);
    LimitWiring known = secret == null ? shared : shared.sharing(secret, link, clocks.ticker());
    return claim == null ? known : known.holding(claim, link, clocks.ticker());
  }

  private LimitWiring holding(KeysClaim claim, RedisLink link, Ticker ticker) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-keys-claim", ticker);
    claim.hold(link, alarm, ticker);
    return closing(
        () -> {
          last(claim.leave(link));
          alarm.close();
        });
  }

  private LimitWiring sharing(SharedSecret secret, RedisLink link, Ticker ticker) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-secret", ticker);
    secret.follow(link, alarm, ticker);
    return closing(alarm::close);
  }

  /** Returns the same limits, with something that is closed before them. */
  private LimitWiring closing(Runnable first) {
    Runnable all =
        () -> {
          first.run();
          close.run();
        };
    return new LimitWiring(
        sharingModes, local, source, knownPeerCounts, denialRecheck, localPeers, view, meters, all);
  }

  private LimitWiring across(RegionSettings settings, SnapshotSaver.Clocks clocks) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-region", clocks.ticker());
    DatabaseRegions databaseRegions =
        new DatabaseRegions(settings, clocks.ticker(), clocks.wall(), alarm, localPeers);
    databaseRegions.start();
    Runnable all =
        () -> {
          last(databaseRegions.leave());
          alarm.close();
          databaseRegions.close();
          close.run();
        };
    Consumer<MeterRegistry> both =
        registry -> {
          meters.accept(registry);
          RegionMeters.add(registry, databaseRegions.ledger());
        };
    LimitSource over = databaseRegions.over(source, sharingModes::isLocal);
    return new LimitWiring(
        sharingModes, local, over, knownPeerCounts, denialRecheck, localPeers, view, both, all);
  }

  private static LimitWiring shared(
      SharingSettings sync,
      RedisLink link,
      SnapshotSaver.Clocks clocks,
      EventSink eventSink,
      boolean regions) {
    Ticker ticker = clocks.ticker();
    WallClock wall = clocks.wall();
    SchedulerAlarm grants = new SchedulerAlarm("penstock-grants", ticker);
    SchedulerAlarm counts = new SchedulerAlarm("penstock-counts", ticker);
    String member = member();
    RedisSliceStore supply =
        new RedisSliceStore(link, sync.namespace(), sync.sliceTtl().toNanos(), ticker, wall);
    SliceSync sliceSync = rounds(sync, member, supply, grants, ticker);
    RedisCountStore countStore = new RedisCountStore(link, sync.namespace(), ticker, wall);
    CountSync countSync = new CountSync(countStore, member, ticker, wall, exchanges(sync));
    SharingModes sharingModes = new SharingModes(sync.sharing(), regions);
    SharedLimitSource sliced =
        new SharedLimitSource(sliceSync, id -> sharingModes.of(id) == SharingMode.EXACT);
    LimitSource source =
        new CountedLimitSource(sliced, countSync, sharingModes::of, id -> isKnown(id, regions));
    DenialRecheck denialRecheck =
        new DenialRecheck(
            id -> sharingModes.of(id) == SharingMode.EVENTUAL,
            id -> countStore.others(member, id),
            countSync::applyFetched,
            wall);
    sliceSync.setEventSink(eventSink);
    countSync.setEventSink(eventSink);
    sliceSync.start();
    step(countSync, counts);
    return new LimitWiring(
        sharingModes,
        sliced.local(),
        source,
        countSync,
        denialRecheck,
        countSync::cells,
        view(sliceSync, sync.onOutage()),
        registry -> meter(registry, sliceSync, supply.troubles(), countSync, countStore.troubles()),
        () -> {
          last(sliceSync.leave());
          grants.close();
          counts.close();
          link.close();
        });
  }

  private static SharingView view(SliceSync sliceSync, OutagePolicy policy) {
    return new SharingView(
        () -> sliceSync.figures().cutOff() ? 1 : sliceSync.figures().members(),
        () -> {
          RoundFigures figures = sliceSync.figures();
          return figures.cutOff()
              ? new SharingView.Outage(figures.silentSinceNanos(), policy)
              : null;
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
  public static void meter(MeterRegistry registry, String what, Supplier<SyncMeters.Way> way) {
    Set<String> kinds =
        Arrays.stream(RedisTrouble.Kind.values())
            .map(LimitWiring::text)
            .collect(Collectors.toSet());
    SyncMeters.add(registry, what, way, kinds);
  }

  private static void meter(
      MeterRegistry registry,
      SliceSync sliceSync,
      TroubleLog ofRounds,
      CountSync countSync,
      TroubleLog of) {
    meter(
        registry,
        "slices",
        () -> {
          RoundFigures.Rounds figures = sliceSync.figures().rounds();
          return new Shown(figures.answered(), figures.answeredNanos(), errors(ofRounds));
        });
    meter(
        registry,
        "counts",
        () -> {
          CountSync.Figures figures = countSync.figures();
          return new Shown(figures.answered(), figures.answeredNanos(), errors(of));
        });
    SyncMeters.addSlices(registry, sliceSync::sliceTokens);
    SyncMeters.addRecovering(registry, () -> sliceSync.figures().barred());
  }

  /** Values that the meters of a kind of sharing show. */
  public record Shown(long answered, long answeredNanos, Map<String, Long> errors)
      implements SyncMeters.Way {}

  /** Returns how often each kind of error occurred. */
  public static Map<String, Long> errors(TroubleLog troubleLog) {
    return troubleLog.counts().entrySet().stream()
        .collect(Collectors.toMap(each -> text(each.getKey()), Map.Entry::getValue));
  }

  private static String text(RedisTrouble.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns a random name that no other instance has, and not this one either when it is started
   * again.
   */
  public static String member() {
    byte[] bytes = new byte[NAME_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static SliceSync rounds(
      SharingSettings sync,
      String member,
      SliceStore sliceStore,
      SchedulerAlarm alarm,
      Ticker ticker) {
    long ttlNanos = sync.sliceTtl().toNanos();
    SyncPace pace = new SyncPace(sync.interval().toNanos(), ttlNanos, timeoutNanos(sync));
    return new SliceSync(
        member, sliceStore, ticker, alarm, pace, sync.onOutage(), new SecureRandom()::nextDouble);
  }

  private static CountSync.Terms exchanges(SharingSettings sync) {
    return new CountSync.Terms(
        sync.interval().toNanos(), timeoutNanos(sync), sync.sliceTtl().toNanos(), sync.onOutage());
  }

  private static long timeoutNanos(SharingSettings sync) {
    return Math.min(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS), sync.sliceTtl().toNanos() / 2);
  }

  private static void step(CountSync countSync, SchedulerAlarm alarm) {
    alarm.soon(() -> alarm.at(countSync.step(), () -> step(countSync, alarm)));
  }

  /** Sets how limits that are configured from now on are shared. */
  void share(SharingTerms terms) {
    sharingModes.terms = terms;
  }

  /**
   * Sets how limits of keys that are configured from now on are shared, for keys that state it
   * themselves.
   */
  void shareKeys(Function<String, @Nullable SharingMode> ofKey) {
    sharingModes.ofKey = ofKey;
  }

  /**
   * Returns whether requests wait by default for limits of keys that are shared in a way, null
   * being the default way: not where the counts of others come late.
   */
  boolean letsWait(@Nullable SharingMode stated) {
    return sharingModes.knowsOthers(stated);
  }

  /** Returns the limits that only this instance counts. */
  LocalLimitSource local() {
    return local;
  }

  /** Returns what is known of the instances that share limits. */
  SharingView view() {
    return view;
  }

  /** Returns the source of all limits. */
  LimitSource source() {
    return source;
  }

  /** Returns the counts of other instances. */
  KnownPeerCounts others() {
    return knownPeerCounts;
  }

  /** Returns the service that fetches the counts of all instances after a denial. */
  DenialRecheck afterDenial() {
    return denialRecheck;
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
