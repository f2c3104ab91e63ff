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
import io.penstock.redis.shares.RedisShareStore;
import io.penstock.region.DatabaseRegions;
import io.penstock.region.RegionSettings;
import io.penstock.shares.ShareSlots;
import io.penstock.shares.ShareStatus;
import io.penstock.shares.ShareSync;
import io.penstock.shares.ShareTerms;
import io.penstock.shares.SharedLimit;
import io.penstock.shares.SharedLimitSource;
import io.penstock.sharing.DenialRecheck;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
  private static final long CALL_NANOS = 100_000_000;
  private static final long BEAT_NANOS = 1_000_000_000;
  private static final int BEATS_A_LEASE = 4;

  /** A permit of an instance that died may be in use for this long. */
  private static final long PERMIT_NANOS = 600_000_000_000L;

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

  private final ShareSlots slots;
  private final BooleanSupplier ready;
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
      ShareSlots slots,
      BooleanSupplier ready,
      SharingView view,
      Consumer<MeterRegistry> meters,
      Runnable close) {
    this.sharingModes = sharingModes;
    this.local = local;
    this.source = source;
    this.knownPeerCounts = knownPeerCounts;
    this.denialRecheck = denialRecheck;
    this.localPeers = localPeers;
    this.slots = slots;
    this.ready = ready;
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
          new ShareSlots(List.of()),
          () -> true,
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
        sharingModes,
        local,
        source,
        knownPeerCounts,
        denialRecheck,
        localPeers,
        slots,
        ready,
        view,
        meters,
        all);
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
        sharingModes,
        local,
        over,
        knownPeerCounts,
        denialRecheck,
        localPeers,
        slots,
        ready,
        view,
        both,
        all);
  }

  private static LimitWiring shared(
      SharingSettings sync,
      RedisLink link,
      SnapshotSaver.Clocks clocks,
      EventSink eventSink,
      boolean regions) {
    Ticker ticker = clocks.ticker();
    WallClock wall = clocks.wall();
    List<SchedulerAlarm> beats = new ArrayList<>();
    SchedulerAlarm looks = new SchedulerAlarm("penstock-sharing", ticker);
    SchedulerAlarm counts = new SchedulerAlarm("penstock-counts", ticker);
    String member = member();
    ShareTerms terms = terms(sync);
    List<RedisShareStore> stores = RedisShareStore.of(link, sync.namespace(), ticker);
    ShareSlots slots =
        new ShareSlots(
            stores.stream().map(each -> slot(each, member, beats, terms, ticker)).toList());
    RedisCountStore countStore = new RedisCountStore(link, sync.namespace(), ticker, wall);
    CountSync countSync = new CountSync(countStore, member, ticker, wall, exchanges(sync));
    SharingModes sharingModes = new SharingModes(sync.sharing(), regions);
    SharedLimitSource exact =
        new SharedLimitSource(
            slots,
            id -> sharingModes.of(id) == SharingMode.EXACT,
            new SharedLimit.Terms(
                sync.onOutage(), sync.divides(), sync.servesAlone(), PERMIT_NANOS),
            ticker,
            wall);
    LimitSource source =
        new CountedLimitSource(exact, countSync, sharingModes::of, id -> isKnown(id, regions));
    DenialRecheck denialRecheck =
        new DenialRecheck(
            id -> sharingModes.of(id) == SharingMode.EVENTUAL,
            id -> countStore.others(member, id),
            countSync::applyFetched,
            wall);
    ShareStatus status =
        new ShareStatus(slots, sync.onOutage(), terms.leaseNanos(), eventSink, ticker);
    countSync.setEventSink(eventSink);
    slots.setContactListener(status::look);
    slots.start();
    look(status, looks, terms.beatNanos(), ticker);
    step(countSync, counts);
    return new LimitWiring(
        sharingModes,
        exact.local(),
        source,
        countSync,
        denialRecheck,
        countSync::cells,
        slots,
        () -> status.wasReady() || (sync.servesAlone() && status.outage() != null),
        new SharingView(status::members, status::outage),
        registry -> {
          meter(registry, stores, countSync, countStore.troubles());
          SyncMeters.addShares(registry, status::silentSeconds, status::members, status::stopped);
        },
        () -> {
          last(slots.leave());
          beats.forEach(SchedulerAlarm::close);
          looks.close();
          counts.close();
          link.close();
        });
  }

  private static ShareSync slot(
      RedisShareStore store,
      String member,
      List<SchedulerAlarm> beats,
      ShareTerms terms,
      Ticker ticker) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-shares", ticker);
    beats.add(alarm);
    ShareSync slot =
        new ShareSync(member, store, ticker, alarm, terms, new SecureRandom()::nextDouble);
    store.listen(member, slot::changed);
    return slot;
  }

  private static void look(ShareStatus status, SchedulerAlarm alarm, long nanos, Ticker ticker) {
    alarm.soon(
        () -> {
          status.look();
          alarm.at(ticker.nanos() + nanos, () -> look(status, alarm, nanos, ticker));
        });
  }

  private static ShareTerms terms(SharingSettings sync) {
    long lease = sync.lease().toNanos();
    long beat = Math.min(BEAT_NANOS, lease / BEATS_A_LEASE);
    return new ShareTerms(
        lease,
        beat,
        timeoutNanos(sync),
        Math.min(CALL_NANOS, beat),
        lease,
        sync.onOutage() == OutagePolicy.CONTINUE || sync.onOutage() == OutagePolicy.ALLOW);
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
   * left of this instance's shares cannot be used by others for a while.
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
      List<RedisShareStore> stores,
      CountSync countSync,
      TroubleLog ofCounts) {
    meter(
        registry,
        "shares",
        () ->
            new Shown(
                stores.stream().mapToLong(RedisShareStore::answered).sum(),
                stores.stream().mapToLong(RedisShareStore::answeredNanos).sum(),
                errors(stores.getFirst().troubles())));
    meter(
        registry,
        "counts",
        () -> {
          CountSync.Figures figures = countSync.figures();
          return new Shown(figures.answered(), figures.answeredNanos(), errors(ofCounts));
        });
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

  private static CountSync.Terms exchanges(SharingSettings sync) {
    return new CountSync.Terms(
        sync.interval().toNanos(), timeoutNanos(sync), sync.lease().toNanos(), sync.onOutage());
  }

  private static long timeoutNanos(SharingSettings sync) {
    return Math.min(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS), sync.lease().toNanos() / 2);
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

  /** Returns the shares of exact limits; no slots when nothing is shared. */
  ShareSlots slots() {
    return slots;
  }

  /** Returns whether this instance can apply the limits that it shares. */
  boolean isReady() {
    return ready.getAsBoolean();
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

  /** Leaves the other instances, and leaves its shares to them. */
  @Override
  public void close() {
    close.run();
  }
}
