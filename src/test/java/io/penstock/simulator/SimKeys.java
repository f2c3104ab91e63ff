package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.model.ModelQuotas;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a world, their groups, and the limits of models. They are drawn by a generator of
 * their own, so that worlds without keys are drawn as before.
 */
final class SimKeys {
  /** One key: the quotas its requests are charged at arrival, or face while they wait. */
  record Key(
      CallerAccount account, boolean waits, List<SimQuota> any, Map<String, SimQuota> ofModel) {
    List<SimQuota> facing(@Nullable String model) {
      return SimKeys.facing(model, any, ofModel);
    }
  }

  /** Returns the quotas of the key, of the key for the model, and of the group. */
  private static List<SimQuota> facing(
      @Nullable String model, List<SimQuota> any, Map<String, SimQuota> ofModel) {
    List<SimQuota> all = new ArrayList<>(any);
    SimQuota own = model == null ? null : ofModel.get(model);
    if (own != null) {
      all.add(1, own);
    }
    return all;
  }

  private final SimScenario scenario;
  private final SplittableRandom random;
  private final LimitSource limits;
  private final List<SimQuota> quotas = new ArrayList<>();
  private final List<Key> keys = new ArrayList<>();
  private final Map<String, SimQuota> models = new HashMap<>();

  SimKeys(long seed, SimScenario scenario, LimitSource limits, ModelQuotas all, long now) {
    this.scenario = scenario;
    this.random = new SplittableRandom(seed * 31 + 7);
    this.limits = limits;
    if (scenario.undisturbed || random.nextInt(3) > 0) {
      return;
    }
    SimQuota group = random.nextBoolean() ? group(now) : null;
    int many = random.nextInt(5);
    for (int at = 0; at < many; at++) {
      keys.add(key("key-" + at, random.nextInt(3) > 0 ? group : null, now));
    }
    if (random.nextBoolean()) {
      limitModels(all, now);
    }
  }

  List<SimQuota> quotas() {
    return quotas;
  }

  /** Returns the key of the next request; sometimes null. */
  @Nullable Key pick() {
    int at = keys.isEmpty() ? 0 : random.nextInt(keys.size() + 1);
    return at < keys.size() ? keys.get(at) : null;
  }

  /** Returns the limits of a model, or null. */
  @Nullable SimQuota model(@Nullable String model) {
    return model == null ? null : models.get(model);
  }

  private double requests() {
    return scenario.perSecond * scenario.window / SimScenario.SECOND * random.nextDouble(0.2, 1.5);
  }

  private LimitSpec spec(LimitMeasure limitMeasure) {
    if (limitMeasure == LimitMeasure.CONCURRENCY) {
      return new LimitSpec.Concurrency(1 + random.nextInt(20));
    }
    double most =
        limitMeasure == LimitMeasure.TOKENS ? requests() * 2 * scenario.meanTokens : requests();
    return new LimitSpec.TrailingWindow(
        1 + (long) most, scenario.window, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  private List<MeteredLimit> limits(
      LimitId.Kind kind, String id, String pool, Map<LimitMeasure, LimitSpec> specs, long now) {
    List<MeteredLimit> all = new ArrayList<>();
    specs.forEach(
        (limitMeasure, spec) -> {
          LimitId limit = new LimitId(kind, id, pool, limitMeasure, scenario.window);
          RefusalReason reason = RefusalReason.valueOf(kind + suffix(limitMeasure));
          all.add(new MeteredLimit(limitMeasure, limits.limit(limit, spec, now), reason));
        });
    return all;
  }

  private static String suffix(LimitMeasure limitMeasure) {
    return switch (limitMeasure) {
      case REQUESTS -> "_RPM";
      case CONCURRENCY -> "_CONCURRENCY";
      default -> "_TPM";
    };
  }

  private Map<LimitMeasure, LimitSpec> draw(boolean concurrency) {
    Map<LimitMeasure, LimitSpec> specs = new EnumMap<>(LimitMeasure.class);
    if (random.nextBoolean()) {
      specs.put(LimitMeasure.REQUESTS, spec(LimitMeasure.REQUESTS));
    }
    if (concurrency && random.nextInt(3) == 0) {
      specs.put(LimitMeasure.CONCURRENCY, spec(LimitMeasure.CONCURRENCY));
    }
    if (random.nextBoolean() || specs.isEmpty()) {
      specs.put(LimitMeasure.TOKENS, spec(LimitMeasure.TOKENS));
    }
    return specs;
  }

  private SimQuota quota(
      Quota quota, LimitId.Kind kind, String id, String pool, boolean concurrency, long now) {
    Map<LimitMeasure, LimitSpec> specs = draw(concurrency);
    quota.change(ChargeRule.TOTAL, limits(kind, id, pool, specs, now));
    SimQuota made = new SimQuota(quota, List.copyOf(specs.values()), scenario.window, now);
    quotas.add(made);
    return made;
  }

  private SimQuota group(long now) {
    Quota quota = new Quota("group", ChargeRule.TOTAL, List.of());
    return quota(quota, LimitId.Kind.GROUP, "group", "", false, now);
  }

  private Key key(String name, @Nullable SimQuota group, long now) {
    List<SimQuota> all = new ArrayList<>();
    all.add(quota(Quota.ofKey(name, List.of()), LimitId.Kind.KEY, name, "", true, now));
    Map<String, SimQuota> ofModel = new HashMap<>();
    if (random.nextInt(3) == 0) {
      String model = scenario.models.getFirst();
      Quota quota = Quota.ofKey(name + " for " + model, List.of());
      ofModel.put(model, quota(quota, LimitId.Kind.KEY, name, model, false, now));
    }
    if (group != null) {
      all.add(group);
    }
    boolean waits = random.nextBoolean();
    CallerAccount callerAccount =
        new CallerAccount(
            name,
            waits,
            (model, at) ->
                facing(model, all, ofModel).stream().map(each -> each.line.quota).toList());
    return new Key(callerAccount, waits, all, ofModel);
  }

  private void limitModels(ModelQuotas all, long now) {
    Map<String, ModelLimits> explicit = new HashMap<>();
    for (String model : scenario.models) {
      long rpm = random.nextBoolean() ? 1 + (long) requests() : 0;
      long tpm = random.nextBoolean() ? 1 + (long) (requests() * 2 * scenario.meanTokens) : 0;
      explicit.put(model, new ModelLimits(rpm, tpm, 0));
    }
    all.configure(List.of(), explicit, now);
    explicit.forEach(
        (model, limit) -> {
          Quota quota = all.of(model, now);
          if (quota != null) {
            List<LimitSpec> specs =
                List.of(new LimitSpec.Unlimited(), trailing(limit.rpm()), trailing(limit.tpm()));
            SimQuota made = new SimQuota(quota, specs, scenario.window, now);
            quotas.add(made);
            models.put(model, made);
          }
        });
  }

  private LimitSpec trailing(long limit) {
    return limit == 0
        ? new LimitSpec.Unlimited()
        : new LimitSpec.TrailingWindow(limit, scenario.window, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  /** Changes the limits of keys and groups, also for waiting tickets. */
  void change(long now) {
    for (SimQuota each : quotas) {
      if (random.nextBoolean() && !models.containsValue(each)) {
        for (SimQuota.Pair pair : each.pairs()) {
          LimitSpec next = spec(pair.metering().measure());
          pair.core().limit().resize(next, now);
          pair.metering().limit().resize(next, now);
        }
        each.line.quota.change(ChargeRule.TOTAL, each.line.quota.limits());
      }
    }
  }
}
