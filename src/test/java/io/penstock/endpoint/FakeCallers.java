package io.penstock.endpoint;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
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
final class FakeCallers {
  private static final long WINDOW = 60 * EndpointFixture.SECOND;

  Caller rejecting(String name) {
    return new Caller(name, false, Quota.personal("key " + name, List.of()));
  }

  Caller waiting(String name) {
    return new Caller(name, true, Quota.personal("key " + name, List.of()));
  }

  Caller group(String name) {
    return new Caller(name, false, new Quota("group " + name, ChargeRule.TOTAL, List.of()));
  }

  /** A key or a group. */
  static final class Caller {
    private final List<Quota> quotas = new ArrayList<>();
    private final List<MeteredLimit> limits = new ArrayList<>();
    final Quota quota;
    final CallerAccount account;

    private @Nullable ParkedTicket last;

    private Caller(String name, boolean waits, Quota quota) {
      this.quota = quota;
      this.quotas.add(quota);
      this.account = new CallerAccount(name, waits, (model, now) -> quotas);
    }

    /** Returns the ticket it submitted last. */
    ParkedTicket last() {
      return Objects.requireNonNull(last, "it has asked nothing yet");
    }

    Caller limit(LimitMeasure limitMeasure, long limit, RefusalReason reason) {
      LimitSpec spec =
          limitMeasure == LimitMeasure.CONCURRENCY
              ? new LimitSpec.Concurrency(limit)
              : new LimitSpec.TrailingWindow(limit, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
      return limit(limitMeasure, spec, reason);
    }

    Caller limit(LimitMeasure limitMeasure, LimitSpec spec, RefusalReason reason) {
      limits.removeIf(each -> each.measure() == limitMeasure);
      limits.add(new MeteredLimit(limitMeasure, new Limit(spec, EndpointFixture.START), reason));
      quota.change(ChargeRule.TOTAL, limits);
      return this;
    }

    /** Changes the capacity of its limit of that measure. */
    void resize(LimitMeasure limitMeasure, long limit, EndpointFixture endpointFixture) {
      find(limitMeasure)
          .resize(
              new LimitSpec.TrailingWindow(limit, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED),
              endpointFixture.ticker.nanos());
      quota.change(ChargeRule.TOTAL, limits);
    }

    Caller in(Caller group) {
      quotas.add(group.quota);
      return this;
    }

    ParkedTicket submit(Endpoint endpoint, long tokens) {
      return submit(endpoint, Cost.ofInput(tokens));
    }

    ParkedTicket submit(Endpoint endpoint, Cost cost) {
      return submit(endpoint, cost, WaitPatience.DEFAULT);
    }

    ParkedTicket submit(Endpoint endpoint, Cost cost, WaitPatience patience) {
      ParkedTicket parkedTicket =
          endpoint.submit(
              new TicketRequest(
                  null,
                  cost,
                  0,
                  patience,
                  0,
                  new TicketRequest.Flow(account.name(), 1),
                  TicketRequest.Kept.NOWHERE,
                  account,
                  null));
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

    long charged(LimitMeasure limitMeasure, EndpointFixture endpointFixture) {
      return find(limitMeasure).balance(endpointFixture.ticker.nanos()).charged();
    }

    long held(LimitMeasure limitMeasure, EndpointFixture endpointFixture) {
      return find(limitMeasure).balance(endpointFixture.ticker.nanos()).held();
    }

    /** Returns whether none of its requests is in flight. */
    boolean empty() {
      AtomicBoolean ran = new AtomicBoolean();
      account.ifEmpty(() -> ran.set(true));
      return ran.get();
    }
  }
}
