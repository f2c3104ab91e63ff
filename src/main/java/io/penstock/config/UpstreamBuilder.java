package io.penstock.config;

import static io.penstock.config.UpstreamSettings.API_KEY;
import static io.penstock.config.UpstreamSettings.BURST_SECONDS;
import static io.penstock.config.UpstreamSettings.CACHE_TRUST;
import static io.penstock.config.UpstreamSettings.CHARGE;
import static io.penstock.config.UpstreamSettings.CONCURRENCY;
import static io.penstock.config.UpstreamSettings.CONNECT_TIMEOUT;
import static io.penstock.config.UpstreamSettings.DAY;
import static io.penstock.config.UpstreamSettings.FIRST_BYTE_TIMEOUT;
import static io.penstock.config.UpstreamSettings.GUARD;
import static io.penstock.config.UpstreamSettings.HEADERS;
import static io.penstock.config.UpstreamSettings.ID;
import static io.penstock.config.UpstreamSettings.INJECT_USAGE;
import static io.penstock.config.UpstreamSettings.ITPM;
import static io.penstock.config.UpstreamSettings.LIMITS;
import static io.penstock.config.UpstreamSettings.MODELS;
import static io.penstock.config.UpstreamSettings.OTPM;
import static io.penstock.config.UpstreamSettings.PROXY;
import static io.penstock.config.UpstreamSettings.RPD;
import static io.penstock.config.UpstreamSettings.RPM;
import static io.penstock.config.UpstreamSettings.SETTLE;
import static io.penstock.config.UpstreamSettings.STALL_TIMEOUT;
import static io.penstock.config.UpstreamSettings.TLS;
import static io.penstock.config.UpstreamSettings.TPM;
import static io.penstock.config.UpstreamSettings.URL;
import static io.penstock.config.UpstreamSettings.WEIGHT;

import io.penstock.config.shape.CredentialSetting;
import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.HeadersSetting;
import io.penstock.config.shape.NumberShapes;
import io.penstock.config.shape.RouteSetting;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Access;
import io.penstock.pool.UpstreamSpec.Budget;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.Link;
import io.penstock.pool.UpstreamSpec.SharedPool;
import io.penstock.pool.UpstreamSpec.Timeouts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds upstreams from checked settings. */
final class UpstreamBuilder {
  private UpstreamBuilder() {}

  /** Returns whether the settings of an upstream are consistent; if not, adds faults. */
  static boolean agree(EffectiveValues effectiveValues, FaultCollector faultCollector) {
    if (!effectiveValues.usable(URL, TLS, PROXY)) {
      return true; // already has a fault
    }
    String scheme = effectiveValues.get(URL).getScheme();
    boolean good = true;
    if (effectiveValues.find(TLS).isPresent() && !scheme.equals("https")) {
      faultCollector.add(
          effectiveValues.place(TLS), "tls is set, but url is no https address, expected one");
      good = false;
    }
    if (effectiveValues.find(PROXY).isPresent() && scheme.equals("mock")) {
      faultCollector.add(
          effectiveValues.place(PROXY),
          "proxy is set, but url is a mock address, expected another");
      good = false;
    }
    return good;
  }

  static UpstreamSpec build(EffectiveValues effectiveValues, List<SharedPool> pools) {
    CredentialSetting credential = effectiveValues.find(API_KEY).orElse(CredentialSetting.NONE);
    return new UpstreamSpec(
        effectiveValues.get(ID),
        effectiveValues.get(URL),
        new Access(
            credential.secret(),
            credential.passthrough(),
            credential.disabledBecause(),
            HeadersSetting.values(effectiveValues.get(HEADERS))),
        effectiveValues.find(MODELS).orElse(Map.of()),
        Math.toIntExact(effectiveValues.get(WEIGHT)),
        budget(effectiveValues, pools),
        new Link(
            new Timeouts(
                NumberShapes.secondsToNanos(effectiveValues.get(CONNECT_TIMEOUT)),
                NumberShapes.secondsToNanos(effectiveValues.get(FIRST_BYTE_TIMEOUT)),
                NumberShapes.secondsToNanos(effectiveValues.get(STALL_TIMEOUT))),
            effectiveValues.find(TLS).orElse(null),
            effectiveValues.find(PROXY).orElse(null)),
        effectiveValues.get(INJECT_USAGE));
  }

  private static Budget budget(EffectiveValues effectiveValues, List<SharedPool> pools) {
    return new Budget(
        new Limits(
            effectiveValues.get(RPM),
            effectiveValues.get(TPM),
            effectiveValues.get(ITPM),
            effectiveValues.get(OTPM),
            effectiveValues.get(RPD),
            effectiveValues.get(CONCURRENCY)),
        pools,
        effectiveValues.get(DAY),
        effectiveValues.get(CHARGE),
        effectiveValues.get(SETTLE),
        NumberShapes.millisToNanos(effectiveValues.get(GUARD)),
        effectiveValues.get(BURST_SECONDS).doubleValue(),
        Math.toIntExact(effectiveValues.get(CACHE_TRUST)));
  }

  /** Returns the settings in which two upstreams differ; empty if they are equal. */
  static List<String> differences(UpstreamSpec a, UpstreamSpec b) {
    List<String> names = new ArrayList<>();
    note(names, URL, a.url(), b.url());
    boolean sameKey =
        Objects.equals(a.access().apiKey(), b.access().apiKey())
            && a.access().passthrough() == b.access().passthrough()
            && Objects.equals(a.access().disabledBecause(), b.access().disabledBecause());
    note(names, API_KEY, sameKey, true);
    note(names, HEADERS, a.access().headers(), b.access().headers());
    note(names, MODELS, a.models(), b.models());
    note(names, WEIGHT, a.weight(), b.weight());
    differences(names, a.budget(), b.budget());
    note(names, INJECT_USAGE, a.injectsUsage(), b.injectsUsage());
    differences(names, a.link(), b.link());
    return names;
  }

  private static void differences(List<String> names, Budget a, Budget b) {
    note(names, RPM, a.limits().rpm(), b.limits().rpm());
    note(names, TPM, a.limits().tpm(), b.limits().tpm());
    note(names, ITPM, a.limits().itpm(), b.limits().itpm());
    note(names, OTPM, a.limits().otpm(), b.limits().otpm());
    note(names, RPD, a.limits().rpd(), b.limits().rpd());
    note(names, CONCURRENCY, a.limits().concurrency(), b.limits().concurrency());
    note(names, LIMITS, a.pools(), b.pools());
    note(names, DAY, a.day(), b.day());
    note(names, CHARGE, a.charge(), b.charge());
    note(names, SETTLE, a.settlesUsage(), b.settlesUsage());
    note(names, GUARD, a.guardNanos(), b.guardNanos());
    note(names, BURST_SECONDS, a.burstSeconds(), b.burstSeconds());
    note(names, CACHE_TRUST, a.cacheTrust(), b.cacheTrust());
  }

  private static void differences(List<String> names, Link a, Link b) {
    note(names, TLS, a.tls(), b.tls());
    note(names, PROXY, a.proxy(), b.proxy());
    Timeouts one = a.timeouts();
    Timeouts other = b.timeouts();
    note(names, CONNECT_TIMEOUT, one.connectNanos(), other.connectNanos());
    note(names, FIRST_BYTE_TIMEOUT, one.firstByteNanos(), other.firstByteNanos());
    note(names, STALL_TIMEOUT, one.stallNanos(), other.stallNanos());
  }

  private static void note(
      List<String> names, RouteSetting<?> setting, @Nullable Object a, @Nullable Object b) {
    if (!Objects.equals(a, b)) {
      names.add(setting.name());
    }
  }
}
