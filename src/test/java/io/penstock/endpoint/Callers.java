package io.penstock.endpoint;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Account;
import io.penstock.quota.Metered;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Keys and groups with limits, and the requests that come with them. */
final class Callers {
  private static final long WINDOW = 60 * House.SECOND;

  Caller rejecting(String name) {
    return new Caller(name, false, Quota.personal("key " + name, List.of()));
  }

  Caller waiting(String name) {
    return new Caller(name, true, Quota.personal("key " + name, List.of()));
  }

  Caller group(String name) {
    return new Caller(name, false, new Quota("group " + name, Charge.TOTAL, List.of()));
  }

  /** A key or a group. */
  static final class Caller {
    private final List<Quota> quotas = new ArrayList<>();
    private final List<Metered> limits = new ArrayList<>();
    final Quota quota;
    final Account account;

    private @Nullable Pending last;

    private Caller(String name, boolean waits, Quota quota) {
      this.quota = quota;
      this.quotas.add(quota);
      this.account = new Account(name, waits, (model, now) -> quotas);
    }

    /** Returns the ticket it submitted last. */
    Pending last() {
      return Objects.requireNonNull(last, "it has asked nothing yet");
    }

    Caller limit(Measure measure, long limit, Reason reason) {
      LimitSpec spec =
          measure == Measure.CONCURRENCY
              ? new LimitSpec.Concurrency(limit)
              : new LimitSpec.TrailingWindow(limit, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
      return limit(measure, spec, reason);
    }

    Caller limit(Measure measure, LimitSpec spec, Reason reason) {
      limits.removeIf(each -> each.measure() == measure);
      limits.add(new Metered(measure, new Limit(spec, House.START), reason));
      quota.change(Charge.TOTAL, limits);
      return this;
    }

    /** Changes the capacity of its limit of that measure. */
    void resize(Measure measure, long limit, House house) {
      find(measure)
          .resize(
              new LimitSpec.TrailingWindow(limit, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED),
              house.ticker.nanos());
      quota.change(Charge.TOTAL, limits);
    }

    Caller in(Caller group) {
      quotas.add(group.quota);
      return this;
    }

    Pending submit(Endpoint endpoint, long tokens) {
      return submit(endpoint, Cost.ofInput(tokens));
    }

    Pending submit(Endpoint endpoint, Cost cost) {
      return submit(endpoint, cost, Patience.DEFAULT);
    }

    Pending submit(Endpoint endpoint, Cost cost, Patience patience) {
      Pending pending =
          endpoint.submit(
              new Ask(
                  null,
                  cost,
                  0,
                  patience,
                  0,
                  new Ask.Flow(account.name(), 1),
                  Ask.Kept.NOWHERE,
                  account,
                  null));
      last = pending;
      return pending;
    }

    private Limit find(Measure measure) {
      return limits.stream()
          .filter(each -> each.measure() == measure)
          .map(Metered::limit)
          .findFirst()
          .orElseThrow();
    }

    long charged(Measure measure, House house) {
      return find(measure).balance(house.ticker.nanos()).charged();
    }

    long held(Measure measure, House house) {
      return find(measure).balance(house.ticker.nanos()).held();
    }

    /** Returns whether none of its requests is in flight. */
    boolean empty() {
      AtomicBoolean ran = new AtomicBoolean();
      account.ifEmpty(() -> ran.set(true));
      return ran.get();
    }
  }
}
