package io.penstock.simulator;

import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a simulated fleet, drawn from a seed: the same at all instances, except for
 * those that a change has not reached yet.
 */
final class FleetPlan {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;
  private static final String SHADOW = "/shadow";
  private static final List<Long> WINDOWS = List.of(5 * SECOND, 12 * SECOND, 60 * SECOND);

  private final Random random;

  /** The length of the window of upstreams' and keys' limits. */
  final long window;

  /** The most tokens of a request. */
  final long largest;

  final List<EndpointSpec> endpoints = new ArrayList<>();
  final List<FleetKey> keys = new ArrayList<>();

  /** The models that requests ask for; empty if they ask for none. */
  final List<String> asked;

  /** The limits of models over all upstreams. */
  final Map<String, ModelLimits> models = new TreeMap<>();

  /** Whether requests belong to conversations, which are kept to one upstream. */
  final boolean conversations;

  /** The fraction of attempts that do not reach their upstream. */
  final double unsent;

  FleetPlan(Random random) {
    this.random = random;
    this.window = WINDOWS.get(isOneIn(6) ? 2 : random.nextInt(2));
    this.largest = random.nextInt(3) == 0 ? 1 : 20;
    this.asked = isOneIn(2) ? List.of() : List.of("model-0", "model-1");
    this.conversations = isOneIn(4);
    this.unsent = isOneIn(3) ? 0.05 : 0;
    if (!asked.isEmpty() && isOneIn(2)) {
      models.put("model-0", new ModelLimits(capacity(false), capacity(true), 0));
    }
    List<UpstreamSpec> upstreams = new ArrayList<>();
    for (int each = 1 + random.nextInt(2); each > 0; each--) {
      upstreams.add(upstream("up-" + each));
    }
    for (int each = 1 + random.nextInt(2); each > 0; each--) {
      endpoints.add(endpoint("/e" + each, upstreams));
    }
    if (isOneIn(4)) {
      endpoints.add(ChangedSpecs.shadow(endpoint(SHADOW, List.of(upstream("up-shadow")))));
    }
    FleetKey group = random.nextInt(3) == 0 ? key("group", true, null) : null;
    for (int each = random.nextInt(3); each > 0; each--) {
      keys.add(key("key-" + each, random.nextBoolean(), random.nextBoolean() ? group : null));
    }
  }

  boolean isOneIn(int many) {
    return random.nextInt(many) == 0;
  }

  /** Returns the capacity of a limit in a window, in tokens or in requests. */
  private long capacity(boolean tokens) {
    long requests = 60L + random.nextInt(400);
    return tokens ? requests * (1 + largest) / 2 : requests;
  }

  private UpstreamSpec upstream(String id) {
    UpstreamSpec.Limits limits =
        new UpstreamSpec.Limits(
            isOneIn(2) ? capacity(false) : 0,
            isOneIn(2) ? capacity(true) : 0,
            isOneIn(6) ? capacity(true) : 0,
            isOneIn(6) ? capacity(true) : 0,
            0,
            isOneIn(4) ? 10 + random.nextInt(40) : 0);
    return UpstreamSetup.of(id).url("mock://" + id).limits(limits).spec();
  }

  private EndpointSpec endpoint(String path, List<UpstreamSpec> upstreams) {
    EndpointSetup setup =
        EndpointSetup.of(path, limit(algorithm()))
            .bounds(1_000, QueueBounds.UNLIMITED, 1 << 20)
            .to(upstreams);
    return (asked.isEmpty() || isOneIn(2) ? setup : setup.fallbacks(fallbacks())).spec();
  }

  private Map<String, EndpointSpec.Fallback> fallbacks() {
    return Map.of(
        "model-0", new EndpointSpec.Fallback(List.of("model-1"), random.nextInt(3) * SECOND));
  }

  private LimitAlgorithm algorithm() {
    List<LimitAlgorithm> all = List.of(LimitAlgorithm.values());
    return all.get(random.nextInt(all.size()));
  }

  /** Returns the id of an upstream that requests wait for. */
  String someUpstream() {
    List<UpstreamSpec> upstreams = endpoints.getFirst().upstreams();
    return upstreams.get(random.nextInt(upstreams.size())).id();
  }

  /** Returns its endpoints with one limit changed, in size, window or kind. */
  List<EndpointSpec> changed() {
    List<EndpointSpec> changed = new ArrayList<>(endpoints);
    int which = random.nextInt(changed.size());
    EndpointSpec before = changed.get(which);
    if (isOneIn(4)) {
      changed.set(which, ChangedSpecs.with(before, limit(algorithm())));
    } else {
      changed.set(which, ChangedSpecs.with(before, resized(before.limit())));
    }
    return changed;
  }

  /** Replaces its endpoints. */
  void change(List<EndpointSpec> next) {
    endpoints.clear();
    endpoints.addAll(next);
  }

  /** Changes the limits of a key, and returns the key; null if there is none. */
  @Nullable FleetKey changeKey() {
    if (keys.isEmpty()) {
      return null;
    }
    int which = random.nextInt(keys.size());
    FleetKey before = keys.get(which);
    Map<LimitMeasure, LimitSpec> limits = new EnumMap<>(before.limits());
    limits.replaceAll((measure, spec) -> resized(spec));
    FleetKey after = new FleetKey(before.name(), before.waits(), before.group(), limits);
    keys.set(which, after);
    return after;
  }

  /** Changes the limits of the models. */
  void changeModel() {
    models.replaceAll(
        (name, limits) -> new ModelLimits(resized(limits.rpm()), resized(limits.tpm()), 0));
  }

  /** Returns the same endpoints with another size of one limit. */
  List<EndpointSpec> different() {
    List<EndpointSpec> different = new ArrayList<>(endpoints);
    EndpointSpec first = different.getFirst();
    LimitSpec limit =
        first.limit() instanceof LimitSpec.FixedWindow window
            ? new LimitSpec.FixedWindow(resized(window.capacity()), window.windowNanos())
            : resized(first.limit());
    different.set(0, ChangedSpecs.with(first, limit));
    return different;
  }

  private LimitSpec resized(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.SlidingWindow window ->
          new LimitSpec.SlidingWindow(resized(window.capacity()), window.windowNanos());
      case LimitSpec.FixedWindow window ->
          new LimitSpec.FixedWindow(
              resized(window.capacity()), isOneIn(2) ? window.windowNanos() : shortWindow());
      case LimitSpec.TrailingWindow window -> trailing(resized(window.capacity()));
      default -> spec;
    };
  }

  private long shortWindow() {
    return WINDOWS.get(random.nextInt(2));
  }

  private long resized(long capacity) {
    return Math.max(10, capacity * (50 + random.nextInt(100)) / 100);
  }

  private LimitSpec limit(LimitAlgorithm limitAlgorithm) {
    long nanos = shortWindow();
    return switch (limitAlgorithm) {
      case NONE -> new LimitSpec.Unlimited();
      case STRICT -> new LimitSpec.Strict(new ExactRate(10 + random.nextInt(40), 1), 0);
      case TOKEN_BUCKET ->
          new LimitSpec.TokenBucket(
              new ExactRate(10 + random.nextInt(40), 1), 20 + random.nextInt(200));
      case SLIDING_WINDOW -> new LimitSpec.SlidingWindow(capacity(false), nanos);
      case TOKEN_WINDOW -> new LimitSpec.FixedWindow(capacity(true), nanos);
    };
  }

  private FleetKey key(String name, boolean waits, @Nullable FleetKey group) {
    Map<LimitMeasure, LimitSpec> limits = new EnumMap<>(LimitMeasure.class);
    if (isOneIn(2)) {
      limits.put(LimitMeasure.REQUESTS, trailing(capacity(false)));
    }
    if (isOneIn(3)) {
      limits.put(LimitMeasure.TOKENS, budget(4 * capacity(true)));
    } else if (limits.isEmpty() || isOneIn(2)) {
      limits.put(LimitMeasure.TOKENS, trailing(capacity(true)));
    }
    return new FleetKey(name, waits, group, limits);
  }

  private LimitSpec trailing(long capacity) {
    return new LimitSpec.TrailingWindow(capacity, window, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  /** Returns a limit for a day or month that ends ten seconds after the start. */
  private static LimitSpec budget(long capacity) {
    ZoneMidnights.Each each = capacity % 2 == 0 ? ZoneMidnights.Each.DAY : ZoneMidnights.Each.MONTH;
    return new LimitSpec.Day(
        capacity, new ZoneMidnights(ZoneOffset.UTC, () -> FleetWorld.START / MILLI, each), 0);
  }
}
