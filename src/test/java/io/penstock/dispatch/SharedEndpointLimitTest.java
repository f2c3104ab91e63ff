package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.SECOND;
import static io.penstock.endpoint.EndpointFixture.START;
import static io.penstock.endpoint.EndpointFixture.assertBalanced;
import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.refusal;
import static io.penstock.endpoint.EndpointFixture.tokens;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.endpoint.FakeCallers.Caller;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.OutageCap;
import io.penstock.model.ModelLimits;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of tickets that wait for a larger share of a shared limit of any kind. */
class SharedEndpointLimitTest {
  private static final Refusal REFUSAL =
      new Refusal(RefusalReason.LIMIT_UNAVAILABLE, "nothing is heard", 2 * SECOND);

  private final List<Limit> shared = new ArrayList<>();
  private final LocalLimitSource limits =
      new LocalLimitSource(
          (id, limit) -> {
            if (id.measure() == LimitMeasure.TOKENS) {
              share(limit);
            }
          });
  private final EndpointFixture endpointFixture = new EndpointFixture(limits, limits);
  private final Caller caller = new FakeCallers().waiting("alice");
  private long dry;

  private void share(Limit limit) {
    HeldShares.none(limit, () -> dry++, START);
    shared.add(limit);
  }

  private void share(Caller who) {
    who.limit(LimitMeasure.TOKENS, 100, RefusalReason.KEY_TPM);
    List<MeteredLimit> metered = who.quota.limits();
    share(metered.getFirst().limit());
    who.quota.change(ChargeRule.TOTAL, metered);
  }

  private Endpoint open(LimitId.Kind kind) {
    switch (kind) {
      case ENDPOINT -> {}
      case KEY -> share(caller);
      case GROUP -> {
        Caller group = new FakeCallers().group("all");
        caller.in(group);
        share(group);
      }
      case MODEL ->
          endpointFixture.models.configure(
              List.of(), Map.of("m", new ModelLimits(0, 100, 0)), START);
      case UPSTREAM -> {}
    }
    boolean own = kind == LimitId.Kind.ENDPOINT;
    long tpm = kind == LimitId.Kind.UPSTREAM ? 100 : 0;
    return endpointFixture.open(
        (own ? tokens("/", 100, 60) : none("/")).to(upstream("up", 0, tpm)));
  }

  private ParkedTicket submit(Endpoint endpoint) {
    return endpoint.submit(RequestFixture.of("m", Cost.ofInput(10)).account(caller.account).made());
  }

  private void give() {
    for (Limit limit : shared) {
      HeldShares.give(limit, 10, START);
      wake(limit);
    }
  }

  private void wake(Limit limit) {
    Objects.requireNonNull(limit.sharing().demand()).wake();
    endpointFixture.drivers.run();
  }

  @ParameterizedTest
  @EnumSource(LimitId.Kind.class)
  void largerShare_letsGoWhoWaitsForIt(LimitId.Kind kind) {
    Endpoint endpoint = open(kind);
    ParkedTicket parkedTicket = submit(endpoint);
    assertThat(waits(parkedTicket)).isTrue();
    assertThat(dry).isPositive();
    give();
    assertThat(went(parkedTicket)).isTrue();
    assertThat(waits(submit(endpoint))).isTrue();
    assertBalanced(endpoint);
  }

  @ParameterizedTest
  @EnumSource(LimitId.Kind.class)
  void whileALimitIsShut_whoWaitsAndWhoComesIsRefused(LimitId.Kind kind) {
    Endpoint endpoint = open(kind);
    ParkedTicket before = submit(endpoint);
    shared.forEach(limit -> limit.sharing().cutOff(new OutageCap.Shut(REFUSAL), 0));
    shared.forEach(this::wake);
    assertThat(refusal(before)).isEqualTo(REFUSAL);
    assertThat(refusal(submit(endpoint))).isEqualTo(REFUSAL);
    shared.forEach(limit -> limit.sharing().rejoin());
    ParkedTicket after = submit(endpoint);
    assertThat(waits(after)).isTrue();
    give();
    assertThat(went(after)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void whileALimitIsShut_anotherUpstreamServes() {
    Endpoint endpoint =
        endpointFixture.open(none("/").to(upstream("up", 0, 100), upstream("unlimited", 0, 0)));
    assertThat(went(submit(endpoint))).isTrue();
    shared.forEach(limit -> limit.sharing().cutOff(new OutageCap.Shut(REFUSAL), 0));
    assertThat(went(submit(endpoint))).isTrue();
  }

  @Test
  void whileALimitIsOpen_allGo() {
    Endpoint endpoint = open(LimitId.Kind.ENDPOINT);
    ParkedTicket parkedTicket = submit(endpoint);
    shared.forEach(limit -> limit.sharing().cutOff(new OutageCap.Open(), 0));
    shared.forEach(this::wake);
    assertThat(went(parkedTicket)).isTrue();
    for (int more = 0; more < 20; more++) {
      assertThat(went(submit(endpoint))).isTrue();
    }
  }

  @Test
  void keyThatRejects_isRefusedForWhatIsShut() {
    Caller bob = new FakeCallers().rejecting("bob");
    share(bob);
    Endpoint endpoint = endpointFixture.open(none("/").to(upstream("up", 0, 0)));
    shared.forEach(limit -> limit.sharing().cutOff(new OutageCap.Shut(REFUSAL), 0));
    assertThat(refusal(bob.submit(endpoint, 1))).isEqualTo(REFUSAL);
  }
}
