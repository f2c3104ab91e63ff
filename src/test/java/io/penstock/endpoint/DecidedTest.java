package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.strict;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Failure;
import io.penstock.quota.Account;
import io.penstock.quota.Metered;
import io.penstock.quota.ModelLimits;
import io.penstock.quota.Onlooker;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of tickets that another thread decides first, and of the records of refused ones. */
class DecidedTest {
  private final House house = new House();

  /** Runs once, as another thread might, while the owner of the queue is at work. */
  private Runnable meanwhile = () -> {};

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  private void acts() {
    Runnable action = meanwhile;
    meanwhile = () -> {};
    action.run();
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  private Explanation explained(Pending pending) {
    AtomicReference<Optional<Known>> told = new AtomicReference<>();
    house.registry.tickets().find(String.valueOf(pending.order()), told::set);
    return ((Past) told.get().orElseThrow()).explanation();
  }

  @Test
  void clientIsGone_whileAnotherGoesAtTheInstantItsTimeIsUp_countsAsGone() {
    Callers.Caller alice =
        new Callers().waiting("alice").limit(Measure.REQUESTS, 9, Reason.KEY_RPM);
    alice
        .quota
        .line()
        .join(
            new Onlooker() {
              @Override
              public boolean keeps() {
                acts();
                return false;
              }

              @Override
              public void wake() {}
            });
    Endpoint endpoint = house.open(strict("/a", 1, 5).maxWait(5 * SECOND));
    House.submit(endpoint, 1);
    Pending goes = alice.submit(endpoint, 1);
    Pending leaves = House.submit(endpoint, 1);
    meanwhile = () -> endpoint.cancel(leaves);
    house.at(5 * SECOND);
    assertThat(went(goes)).isTrue();
    assertThat(leaves.outcome()).isNull();
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(Fate.EXPIRED)).isZero();
  }

  private AtomicReference<Tickets.Removal> remove(Pending pending) {
    AtomicReference<Tickets.Removal> told = new AtomicReference<>();
    house.registry.tickets().remove(String.valueOf(pending.order()), told::set);
    return told;
  }

  @Test
  void clientIsGone_beforeTheOperatorsRemovalIsHeardOf_nothingIsRemoved() {
    Endpoint endpoint = house.open(strict("/a", 1, 5));
    House.submit(endpoint, 1);
    Pending leaves = House.submit(endpoint, 1);
    AtomicReference<Tickets.Removal> told = remove(leaves);
    endpoint.cancel(leaves);
    house.drivers.run();
    assertThat(told.get()).isEqualTo(Tickets.Removal.GONE);
  }

  @Test
  void clientIsGone_whileTheOperatorRemovesIt_nothingIsRemoved() {
    Limit limit = new Limit(new LimitSpec.Concurrency(9), House.START);
    List<Metered> limits = List.of(new Metered(Measure.CONCURRENCY, limit, Reason.KEY_CONCURRENCY));
    Quota quota = Quota.personal("key bob", limits);
    Account bob =
        new Account(
            "bob",
            false,
            (model, now) -> {
              acts();
              return List.of(quota);
            });
    Endpoint endpoint = house.open(strict("/a", 1, 5));
    House.submit(endpoint, 1);
    Ask.Flow flow = Ask.Flow.ANONYMOUS;
    Ask.Kept kept = Ask.Kept.NOWHERE;
    Cost cost = Cost.ofInput(1);
    Pending leaves =
        endpoint.submit(new Ask(null, cost, 0, Patience.DEFAULT, 0, flow, kept, bob, null));
    AtomicReference<Tickets.Removal> told = remove(leaves);
    meanwhile = () -> endpoint.cancel(leaves);
    house.drivers.run();
    assertThat(told.get()).isEqualTo(Tickets.Removal.GONE);
    assertThat(endpoint.totals().requests(Fate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void operatorRemovesOne_isRememberedWithWhatHeldIt() {
    Endpoint endpoint = house.open(strict("/a", 1, 5));
    House.submit(endpoint, 1);
    Pending removed = House.submit(endpoint, 1);
    AtomicReference<Tickets.Removal> told = remove(removed);
    house.drivers.run();
    assertThat(told.get()).isEqualTo(Tickets.Removal.REMOVED);
    assertThat(Objects.requireNonNull(explained(removed).binds()).what())
        .isEqualTo(Binding.What.LIMIT);
  }

  @Test
  void whoComesBackNeverFitsAnyMore_isRememberedWithTheLimit() {
    Endpoint endpoint = house.open(none("/a").to(upstream("u", 0, 1_000)));
    Pending first = ask(endpoint, "m", 500);
    house.apply(none("/a").to(upstream("u", 0, 100)));
    Pending back = settlement(first).again(Failure.UNSENT, false, house.ticker.nanos());
    house.drivers.run();
    assertThat(refusal(Objects.requireNonNull(back)).reason())
        .isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
    assertThat(explained(back).limits())
        .extracting(Explanation.Considered::capacity)
        .containsExactly(100L);
  }

  @Test
  void dayOfItsModelIsUsedUpWhileItWaits_isRememberedWithIt() {
    Map<String, ModelLimits> one = Map.of("m", new ModelLimits(0, 0, 2));
    house.models.configure(List.of(), one, house.ticker.nanos());
    house.apply(none("/a").to(upstream("u", 1, 0)), none("/b").to(upstream("v", 0, 0)));
    ask(house.endpoint("/a"), "m", 1);
    Pending waits = ask(house.endpoint("/a"), "m", 1);
    assertThat(waits(waits)).isTrue();
    ask(house.endpoint("/b"), "m", 1);
    house.at(61 * SECOND);
    assertThat(refusal(waits).reason()).isEqualTo(Reason.MODEL_RPD);
    Binding binds = Objects.requireNonNull(explained(waits).binds());
    assertThat(binds.measure()).isEqualTo(Measure.REQUESTS);
    assertThat(binds.untilNanos()).isEqualTo(House.START + LimitSpec.Day.NANOS);
  }
}
