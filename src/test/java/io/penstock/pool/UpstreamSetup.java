package io.penstock.pool;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.PoolTariff;
import io.penstock.pool.UpstreamSpec.Access;
import io.penstock.pool.UpstreamSpec.Budget;
import io.penstock.pool.UpstreamSpec.Day;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.Link;
import io.penstock.pool.UpstreamSpec.SharedPool;
import io.penstock.pool.UpstreamSpec.Timeouts;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds configurations of upstreams in which only what a test is about differs from defaults. */
public final class UpstreamSetup {
  private static final long SECOND = 1_000_000_000;

  private final String id;
  private URI url = URI.create("http://provider.example");
  private Access access = new Access(null, false, null, Map.of());
  private Map<String, String> models = Map.of();
  private int weight = 1;
  private Limits limits = Limits.NONE;
  private List<SharedPool> pools = List.of();
  private Day day = Day.FIRST_USE;
  private ChargeRule charge = ChargeRule.TOTAL;
  private boolean settlesUsage;
  private long guardNanos;
  // a minute's worth may go at once: most tests are not about the pace
  private double burstSeconds = 60;
  private int cacheTrust = PoolTariff.CACHE_TRUST;
  private Link link = new Link(new Timeouts(SECOND, SECOND, SECOND, 300 * SECOND), null, null);

  private UpstreamSetup(String id) {
    this.id = id;
  }

  public static UpstreamSetup of(String id) {
    return new UpstreamSetup(id);
  }

  /** Returns the settings of a configuration, to change some of them. */
  public static UpstreamSetup like(UpstreamSpec spec) {
    UpstreamSetup same = of(spec.id());
    same.url = spec.url();
    same.access = spec.access();
    same.models = spec.models();
    same.weight = spec.weight();
    same.limits = spec.budget().limits();
    same.pools = spec.budget().pools();
    same.day = spec.budget().day();
    same.charge = spec.budget().charge();
    same.settlesUsage = spec.budget().settlesUsage();
    same.guardNanos = spec.budget().guardNanos();
    same.burstSeconds = spec.budget().burstSeconds();
    same.cacheTrust = spec.budget().cacheTrust();
    same.link = spec.link();
    return same;
  }

  public UpstreamSetup url(String address) {
    url = URI.create(address);
    return this;
  }

  public UpstreamSetup apiKey(String key) {
    access = new Access(key, false, access.disabledBecause(), access.headers());
    return this;
  }

  public UpstreamSetup disabled(@Nullable String because) {
    access = new Access(access.apiKey(), false, because, access.headers());
    return this;
  }

  public UpstreamSetup headers(Map<String, String> sent) {
    access = new Access(access.apiKey(), false, access.disabledBecause(), sent);
    return this;
  }

  public UpstreamSetup models(Map<String, String> names) {
    models = names;
    return this;
  }

  public UpstreamSetup weight(int share) {
    weight = share;
    return this;
  }

  public UpstreamSetup limits(Limits most) {
    limits = most;
    return this;
  }

  /** Sets limits per minute. */
  public UpstreamSetup limits(long rpm, long tpm, long itpm, long otpm) {
    return limits(new Limits(rpm, tpm, itpm, otpm, 0, 0));
  }

  public UpstreamSetup pools(List<SharedPool> shared) {
    pools = shared;
    return this;
  }

  public UpstreamSetup day(Day begins) {
    day = begins;
    return this;
  }

  public UpstreamSetup charge(ChargeRule rule) {
    charge = rule;
    return this;
  }

  public UpstreamSetup settlesUsage(boolean always) {
    settlesUsage = always;
    return this;
  }

  public UpstreamSetup guardNanos(long nanos) {
    guardNanos = nanos;
    return this;
  }

  public UpstreamSetup burstSeconds(double seconds) {
    burstSeconds = seconds;
    return this;
  }

  public UpstreamSetup cacheTrust(int percent) {
    cacheTrust = percent;
    return this;
  }

  public UpstreamSetup link(Link how) {
    link = how;
    return this;
  }

  public UpstreamSpec spec() {
    return new UpstreamSpec(
        id,
        url,
        access,
        models,
        weight,
        new Budget(limits, pools, day, charge, settlesUsage, guardNanos, burstSeconds, cacheTrust),
        link,
        true);
  }
}
