package io.penstock;

import io.micrometer.core.instrument.MeterRegistry;
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
import io.penstock.shares.CountedLimits;
import io.penstock.shares.FreshCounts;
import io.penstock.shares.ShareSlots;
import io.penstock.shares.ShareStatus;
import io.penstock.shares.ShareSync;
import io.penstock.shares.ShareTerms;
import io.penstock.shares.SharedLimit;
import io.penstock.shares.SharedLimitSource;
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
  private LimitSource source;

  /** None when nothing is shared. */
  private final ShareSlots slots;

  private final FreshCounts freshCounts;
  private final BooleanSupplier ready;
  private final SharingView view;
  private final List<Consumer<MeterRegistry>> meters;

  /** The last one is run first. */
  private final List<Runnable> closings;

  private LimitWiring(
      SharingModes sharingModes,
      LocalLimitSource local,
      LimitSource source,
      ShareSlots slots,
      FreshCounts freshCounts,
      BooleanSupplier ready,
      SharingView view,
      List<Consumer<MeterRegistry>> meters,
      List<Runnable> closings) {
    this.sharingModes = sharingModes;
    this.local = local;
    this.source = source;
    this.slots = slots;
    this.freshCounts = freshCounts;
    this.ready = ready;
    this.view = view;
    this.meters = meters;
    this.closings = closings;
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
    LimitWiring limitWiring =
        sync == null
            ? alone(region != null, clocks.wall())
            : shared(sync, clocks, eventSink, claim, secret, region != null);
    if (region != null) {
      limitWiring.across(region, sync != null, clocks);
    }
    return limitWiring;
  }

  private static LimitWiring alone(boolean regions, WallClock wall) {
    LocalLimitSource local = new LocalLimitSource();
    ShareSlots none = new ShareSlots(List.of());
    return new LimitWiring(
        new SharingModes(SharingMode.EXACT, regions), // matters only with other regions
        local,
        local,
        none,
        new FreshCounts(none, id -> false, wall),
        () -> true,
        SharingView.ALONE,
        new ArrayList<>(),
        new ArrayList<>());
  }

  private static void hold(
      KeysClaim claim, RedisLink link, Ticker ticker, List<Runnable> closings) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-keys-claim", ticker);
    claim.hold(link, alarm, ticker);
    closings.add(
        () -> {
          last(claim.leave(link));
          alarm.close();
        });
  }

  private static void follow(
      SharedSecret secret, RedisLink link, Ticker ticker, List<Runnable> closings) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-secret", ticker);
    secret.follow(link, alarm, ticker);
    closings.add(alarm::close);
  }

  private void across(RegionSettings settings, boolean isShared, SnapshotSaver.Clocks clocks) {
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-region", clocks.ticker());
    DatabaseRegions databaseRegions =
        new DatabaseRegions(
            settings, clocks.ticker(), clocks.wall(), alarm, isShared ? slots::cells : null);
    databaseRegions.start();
    meters.add(registry -> RegionMeters.add(registry, databaseRegions.ledger()));
    source = databaseRegions.over(source, sharingModes::isLocal);
    closings.add(
        () -> {
          last(databaseRegions.leave());
          alarm.close();
          databaseRegions.close();
        });
  }

  private static LimitWiring shared(
      SharingSettings sync,
      SnapshotSaver.Clocks clocks,
      EventSink eventSink,
      @Nullable KeysClaim claim,
      @Nullable SharedSecret secret,
      boolean regions) {
    Ticker ticker = clocks.ticker();
    WallClock wall = clocks.wall();
    RedisLink link = new RedisLink(sync.address(), sync.trust(), TIMEOUT_MILLIS, ticker);
    List<SchedulerAlarm> beats = new ArrayList<>();
    SchedulerAlarm looks = new SchedulerAlarm("penstock-sharing", ticker);
    String member = member();
    List<RedisShareStore> stores = RedisShareStore.of(link, sync.namespace(), ticker);
    ShareSlots slots =
        new ShareSlots(
            stores.stream().map(each -> slot(each, member, beats, sync, clocks, regions)).toList());
    SharingModes sharingModes = new SharingModes(sync.sharing(), regions);
    SharedLimitSource exact =
        new SharedLimitSource(
            slots,
            sharingModes::of,
            new SharedLimit.Terms(
                sync.onOutage(), sync.divides(), sync.servesAlone(), PERMIT_NANOS),
            ticker,
            wall);
    ShareStatus status =
        new ShareStatus(slots, sync.onOutage(), sync.lease().toNanos(), eventSink, ticker);
    slots.setContactListener(status::look);
    slots.start();
    look(status, looks, terms(sync).beatNanos(), ticker);
    LimitWiring limitWiring =
        new LimitWiring(
            sharingModes,
            exact.local(),
            exact,
            slots,
            new FreshCounts(slots, id -> sharingModes.of(id) == SharingMode.EVENTUAL, wall),
            () -> status.wasReady() || (sync.servesAlone() && status.outage() != null),
            new SharingView(status::members, status::outage),
            new ArrayList<>(),
            new ArrayList<>());
    limitWiring.meters.add(
        registry -> {
          meter(registry, stores);
          SyncMeters.addShares(registry, status::silentSeconds, status::members, status::stopped);
        });
    limitWiring.closings.add(
        () -> {
          last(slots.leave());
          beats.forEach(SchedulerAlarm::close);
          looks.close();
          link.close();
        });
    if (secret != null) {
      follow(secret, link, ticker, limitWiring.closings);
    }
    if (claim != null) {
      hold(claim, link, ticker, limitWiring.closings);
    }
    return limitWiring;
  }

  private static ShareSync slot(
      RedisShareStore store,
      String member,
      List<SchedulerAlarm> beats,
      SharingSettings sync,
      SnapshotSaver.Clocks clocks,
      boolean regions) {
    Ticker ticker = clocks.ticker();
    SchedulerAlarm alarm = new SchedulerAlarm("penstock-shares", ticker);
    beats.add(alarm);
    CountedLimits counts =
        new CountedLimits(
            clocks.wall(),
            sync.interval().toNanos(),
            id -> isKnownAtOnce(id, regions),
            sync.onOutage(),
            ticker.nanos());
    SecureRandom random = new SecureRandom();
    ShareSync slot =
        new ShareSync(member, store, ticker, alarm, terms(sync), counts, random::nextDouble);
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

  /** Returns whether routing, or other regions, need to know at once what others use of a limit. */
  private static boolean isKnownAtOnce(LimitId id, boolean regions) {
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

  private static void meter(MeterRegistry registry, List<RedisShareStore> stores) {
    meter(
        registry,
        "shares",
        () ->
            new Shown(
                stores.stream().mapToLong(RedisShareStore::answered).sum(),
                stores.stream().mapToLong(RedisShareStore::answeredNanos).sum(),
                errors(stores.getFirst().troubles())));
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

  private static long timeoutNanos(SharingSettings sync) {
    return Math.min(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS), sync.lease().toNanos() / 2);
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

  /** Returns what makes decisions wait for the counts of other instances. */
  FreshCounts freshCounts() {
    return freshCounts;
  }

  /** Creates the meters of what is shared, if anything is. */
  void meter(MeterRegistry registry) {
    meters.forEach(each -> each.accept(registry));
  }

  /** Leaves the other instances, and leaves its shares to them. */
  @Override
  public void close() {
    closings.reversed().forEach(Runnable::run);
  }
}
