package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.strict;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.endpoint.TicketOperations;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.PastTicket;
import io.penstock.explain.TicketRecord;
import io.penstock.explain.WaitExplanation;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.pool.AttemptFailure;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitObserver;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of tickets that another thread decides first, and of the records of refused ones. */
class DecidedTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  /** Runs once, as another thread might, while the owner of the queue is at work. */
  private Runnable meanwhile = () -> {};

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  private void acts() {
    Runnable action = meanwhile;
    meanwhile = () -> {};
    action.run();
  }

  private static ParkedTicket ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(RequestFixture.request(model, Cost.ofInput(tokens)));
  }

  private WaitExplanation explained(ParkedTicket parkedTicket) {
    AtomicReference<Optional<TicketRecord>> told = new AtomicReference<>();
    endpointFixture.registry.tickets().find(String.valueOf(parkedTicket.order()), told::set);
    return ((PastTicket) told.get().orElseThrow()).explanation();
  }

  @Test
  void clientIsGone_whileAnotherGoesAtTheInstantItsTimeIsUp_countsAsGone() {
    FakeCallers.Caller alice =
        new FakeCallers().waiting("alice").limit(LimitMeasure.REQUESTS, 9, RefusalReason.KEY_RPM);
    alice
        .quota
        .waitList()
        .join(
            new WaitObserver() {
              @Override
              public boolean mayHaveClaim() {
                acts();
                return false;
              }

              @Override
              public void wake() {}
            });
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 5).maxWait(5 * SECOND));
    EndpointFixture.submit(endpoint, 1);
    ParkedTicket goes = alice.submit(endpoint, 1);
    ParkedTicket leaves = EndpointFixture.submit(endpoint, 1);
    meanwhile = () -> leaves.cancel();
    endpointFixture.at(5 * SECOND);
    assertThat(went(goes)).isTrue();
    assertThat(leaves.outcome()).isNull();
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
    assertThat(endpoint.totals().requests(TicketFate.EXPIRED)).isZero();
  }

  private AtomicReference<TicketOperations.Removal> remove(ParkedTicket parkedTicket) {
    AtomicReference<TicketOperations.Removal> told = new AtomicReference<>();
    endpointFixture.registry.tickets().remove(String.valueOf(parkedTicket.order()), told::set);
    return told;
  }

  @Test
  void clientIsGone_beforeTheOperatorsRemovalIsHeardOf_nothingIsRemoved() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 5));
    EndpointFixture.submit(endpoint, 1);
    ParkedTicket leaves = EndpointFixture.submit(endpoint, 1);
    AtomicReference<TicketOperations.Removal> told = remove(leaves);
    leaves.cancel();
    endpointFixture.drivers.run();
    assertThat(told.get()).isEqualTo(TicketOperations.Removal.GONE);
  }

  @Test
  void clientIsGone_whileTheOperatorRemovesIt_nothingIsRemoved() {
    Limit limit = new Limit(new LimitSpec.Concurrency(9), EndpointFixture.START);
    List<MeteredLimit> limits =
        List.of(new MeteredLimit(LimitMeasure.CONCURRENCY, limit, RefusalReason.KEY_CONCURRENCY));
    Quota quota = Quota.ofKey("key bob", limits);
    CallerAccount bob =
        new CallerAccount(
            "bob",
            false,
            (model, now) -> {
              acts();
              return List.of(quota);
            });
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 5));
    EndpointFixture.submit(endpoint, 1);
    TicketRequest.Flow flow = TicketRequest.Flow.ANONYMOUS;
    TicketRequest.RequestAffinity kept = TicketRequest.RequestAffinity.NONE;
    Cost cost = Cost.ofInput(1);
    ParkedTicket leaves =
        endpoint.submit(
            RequestFixture.of(null, cost).flow(flow).affinity(kept).account(bob).made());
    AtomicReference<TicketOperations.Removal> told = remove(leaves);
    meanwhile = () -> leaves.cancel();
    endpointFixture.drivers.run();
    assertThat(told.get()).isEqualTo(TicketOperations.Removal.GONE);
    assertThat(endpoint.totals().requests(TicketFate.CANCELLED)).isEqualTo(1);
  }

  @Test
  void operatorRemovesOne_isRememberedWithWhatHeldIt() {
    Endpoint endpoint = endpointFixture.open(strict("/a", 1, 5));
    EndpointFixture.submit(endpoint, 1);
    ParkedTicket removed = EndpointFixture.submit(endpoint, 1);
    AtomicReference<TicketOperations.Removal> told = remove(removed);
    endpointFixture.drivers.run();
    assertThat(told.get()).isEqualTo(TicketOperations.Removal.REMOVED);
    assertThat(Objects.requireNonNull(explained(removed).binding()).cause())
        .isEqualTo(BindingLimit.Cause.LIMIT);
  }

  @Test
  void whoComesBackNeverFitsAnyMore_isRememberedWithTheLimit() {
    Endpoint endpoint = endpointFixture.open(none("/a").to(upstream("u", 0, 1_000)));
    ParkedTicket first = ask(endpoint, "m", 500);
    endpointFixture.apply(none("/a").to(upstream("u", 0, 100)));
    ParkedTicket back =
        settlement(first).retry(AttemptFailure.UNSENT, false, endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();
    assertThat(refusal(Objects.requireNonNull(back)).reason())
        .isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
    assertThat(explained(back).limits())
        .extracting(WaitExplanation.Considered::capacity)
        .containsExactly(100L);
  }

  @Test
  void dayOfItsModelIsUsedUpWhileItWaits_isRememberedWithIt() {
    Map<String, ModelLimits> one = Map.of("m", new ModelLimits(0, 0, 2));
    endpointFixture.models.configure(List.of(), one, endpointFixture.ticker.nanos());
    endpointFixture.apply(none("/a").to(upstream("u", 1, 0)), none("/b").to(upstream("v", 0, 0)));
    ask(endpointFixture.endpoint("/a"), "m", 1);
    ParkedTicket waits = ask(endpointFixture.endpoint("/a"), "m", 1);
    assertThat(waits(waits)).isTrue();
    ask(endpointFixture.endpoint("/b"), "m", 1);
    endpointFixture.at(61 * SECOND);
    assertThat(refusal(waits).reason()).isEqualTo(RefusalReason.MODEL_RPD);
    BindingLimit binds = Objects.requireNonNull(explained(waits).binding());
    assertThat(binds.measure()).isEqualTo(LimitMeasure.REQUESTS);
    assertThat(binds.untilNanos()).isEqualTo(EndpointFixture.START + LimitSpec.Day.NANOS);
  }
}
