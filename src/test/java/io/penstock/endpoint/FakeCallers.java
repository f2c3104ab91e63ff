package io.penstock.endpoint;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.WaitPatience;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Keys and groups with limits, and the requests that come with them. */
public final class FakeCallers {
  private static final long WINDOW = 60 * EndpointFixture.SECOND;

  public Caller rejecting(String name) {
    return new Caller(name, false, Quota.ofKey("key " + name, List.of()));
  }

  public Caller waiting(String name) {
    return new Caller(name, true, Quota.ofKey("key " + name, List.of()));
  }

  public Caller group(String name) {
    return new Caller(name, false, new Quota("group " + name, ChargeRule.TOTAL, List.of()));
  }

  /** A key or a group. */
  public static final class Caller {
    private final List<Quota> quotas = new ArrayList<>();
    private final List<MeteredLimit> limits = new ArrayList<>();
    public final Quota quota;
    public final CallerAccount account;

    private @Nullable ParkedTicket last;

    private Caller(String name, boolean waits, Quota quota) {
      this.quota = quota;
      this.quotas.add(quota);
      this.account = new CallerAccount(name, waits, (model, now) -> quotas);
    }

    /** Returns the ticket it submitted last. */
    public ParkedTicket last() {
      return Objects.requireNonNull(last, "it has asked nothing yet");
    }

    public Caller limit(LimitMeasure limitMeasure, long limit, RefusalReason reason) {
      LimitSpec spec =
          limitMeasure == LimitMeasure.CONCURRENCY
              ? new LimitSpec.Concurrency(limit)
              : new LimitSpec.TrailingWindow(limit, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
      return limit(limitMeasure, spec, reason);
    }

    public Caller limit(LimitMeasure limitMeasure, LimitSpec spec, RefusalReason reason) {
      limits.removeIf(each -> each.measure() == limitMeasure);
      limits.add(new MeteredLimit(limitMeasure, new Limit(spec, EndpointFixture.START), reason));
      quota.change(ChargeRule.TOTAL, limits);
      return this;
    }

    /** Changes the capacity of its limit of that measure. */
    public void resize(LimitMeasure limitMeasure, long limit, EndpointFixture endpointFixture) {
      find(limitMeasure)
          .resize(
              new LimitSpec.TrailingWindow(limit, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED),
              endpointFixture.ticker.nanos());
      quota.change(ChargeRule.TOTAL, limits);
    }

    public Caller in(Caller group) {
      quotas.add(group.quota);
      return this;
    }

    public ParkedTicket submit(Endpoint endpoint, long tokens) {
      return submit(endpoint, Cost.ofInput(tokens));
    }

    public ParkedTicket submit(Endpoint endpoint, Cost cost) {
      return submit(endpoint, cost, WaitPatience.DEFAULT);
    }

    public ParkedTicket submit(Endpoint endpoint, Cost cost, WaitPatience patience) {
      ParkedTicket parkedTicket =
          endpoint.submit(
              RequestFixture.of(null, cost)
                  .patience(patience)
                  .flow(new TicketRequest.Flow(account.name(), 1))
                  .account(account)
                  .made());
      last = parkedTicket;
      return parkedTicket;
    }

    private Limit find(LimitMeasure limitMeasure) {
      return limits.stream()
          .filter(each -> each.measure() == limitMeasure)
          .map(MeteredLimit::limit)
          .findFirst()
          .orElseThrow();
    }

    public long charged(LimitMeasure limitMeasure, EndpointFixture endpointFixture) {
      return find(limitMeasure).balance(endpointFixture.ticker.nanos()).charged();
    }

    public long held(LimitMeasure limitMeasure, EndpointFixture endpointFixture) {
      return find(limitMeasure).balance(endpointFixture.ticker.nanos()).reserved();
    }

    /** Returns whether none of its requests is in flight. */
    public boolean empty() {
      AtomicBoolean ran = new AtomicBoolean();
      account.ifEmpty(() -> ran.set(true));
      return ran.get();
    }
  }
}
