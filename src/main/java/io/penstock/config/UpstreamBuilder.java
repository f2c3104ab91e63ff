package io.penstock.config;

import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.Timeouts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Builds upstreams from checked settings. */
final class UpstreamBuilder {
  private UpstreamBuilder() {}

  static UpstreamSpec build(Values values) {
    Credential credential = values.find(UpstreamSettings.API_KEY).orElse(Credential.NONE);
    return new UpstreamSpec(
        values.get(UpstreamSettings.ID),
        values.get(UpstreamSettings.URL),
        credential.secret(),
        credential.disabledBecause(),
        Headers.values(values.get(UpstreamSettings.HEADERS)),
        values.find(UpstreamSettings.MODELS).orElse(Map.of()),
        Math.toIntExact(values.get(UpstreamSettings.WEIGHT)),
        new Limits(
            values.get(UpstreamSettings.RPM_LIMIT),
            values.get(UpstreamSettings.TPM_LIMIT),
            values.get(UpstreamSettings.ITPM_LIMIT),
            values.get(UpstreamSettings.OTPM_LIMIT)),
        values.get(UpstreamSettings.CHARGE),
        Numbers.millisToNanos(values.get(UpstreamSettings.GUARD)),
        values.get(UpstreamSettings.BURST_SECONDS).doubleValue(),
        new Timeouts(
            Numbers.secondsToNanos(values.get(UpstreamSettings.CONNECT_TIMEOUT)),
            Numbers.secondsToNanos(values.get(UpstreamSettings.FIRST_BYTE_TIMEOUT)),
            Numbers.secondsToNanos(values.get(UpstreamSettings.STALL_TIMEOUT))));
  }

  /** Returns the settings in which two upstreams differ; empty when they are the same. */
  static List<String> differences(UpstreamSpec a, UpstreamSpec b) {
    List<String> names = new ArrayList<>();
    note(names, UpstreamSettings.URL, a.url(), b.url());
    boolean sameKey =
        Objects.equals(a.access().apiKey(), b.access().apiKey())
            && Objects.equals(a.access().disabledBecause(), b.access().disabledBecause());
    note(names, UpstreamSettings.API_KEY, sameKey, true);
    note(names, UpstreamSettings.HEADERS, a.access().headers(), b.access().headers());
    note(names, UpstreamSettings.MODELS, a.models(), b.models());
    note(names, UpstreamSettings.WEIGHT, a.weight(), b.weight());
    note(names, UpstreamSettings.RPM_LIMIT, a.budget().limits().rpm(), b.budget().limits().rpm());
    note(names, UpstreamSettings.TPM_LIMIT, a.budget().limits().tpm(), b.budget().limits().tpm());
    note(
        names, UpstreamSettings.ITPM_LIMIT, a.budget().limits().itpm(), b.budget().limits().itpm());
    note(
        names, UpstreamSettings.OTPM_LIMIT, a.budget().limits().otpm(), b.budget().limits().otpm());
    note(names, UpstreamSettings.CHARGE, a.budget().charge(), b.budget().charge());
    note(names, UpstreamSettings.GUARD, a.budget().guardNanos(), b.budget().guardNanos());
    note(
        names,
        UpstreamSettings.BURST_SECONDS,
        a.budget().burstSeconds(),
        b.budget().burstSeconds());
    Timeouts one = a.link().timeouts();
    Timeouts other = b.link().timeouts();
    note(names, UpstreamSettings.CONNECT_TIMEOUT, one.connectNanos(), other.connectNanos());
    note(names, UpstreamSettings.FIRST_BYTE_TIMEOUT, one.firstByteNanos(), other.firstByteNanos());
    note(names, UpstreamSettings.STALL_TIMEOUT, one.stallNanos(), other.stallNanos());
    return names;
  }

  private static void note(List<String> names, Setting<?> setting, Object a, Object b) {
    if (!a.equals(b)) {
      names.add(setting.name());
    }
  }
}
