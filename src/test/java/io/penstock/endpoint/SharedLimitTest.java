package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.assertBalanced;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.refusal;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Callers.Caller;
import io.penstock.limit.Cut;
import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.quota.LimitId;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.ModelLimits;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of tickets that wait for slices of a shared limit of any kind. */
class SharedLimitTest {
  private static final Refusal REFUSAL =
      new Refusal(Reason.LIMIT_UNAVAILABLE, "nothing is heard", 2 * SECOND);

  private final List<Limit> shared = new ArrayList<>();
  private final LocalLimitSource limits =
      new LocalLimitSource(
          (id, limit) -> {
            if (id.measure() == Measure.TOKENS) {
              share(limit);
            }
          });
  private final House house = new House(limits, limits);
  private final Caller caller = new Callers().waiting("alice");
  private long dry;

  private void share(Limit limit) {
    limit.share(new Demand(() -> dry++), START);
    shared.add(limit);
  }

  private void share(Caller who) {
    who.limit(Measure.TOKENS, 100, Reason.KEY_TPM);
    List<Metered> metered = who.quota.limits();
    share(metered.getFirst().limit());
    who.quota.change(Charge.TOTAL, metered);
  }

  private Endpoint open(LimitId.Kind kind) {
    switch (kind) {
      case ENDPOINT -> {}
      case KEY -> share(caller);
      case GROUP -> {
        Caller group = new Callers().group("all");
        caller.in(group);
        share(group);
      }
      case MODEL ->
          house.models.configure(List.of(), Map.of("m", new ModelLimits(0, 100, 0)), START);
      case UPSTREAM -> {}
    }
    boolean own = kind == LimitId.Kind.ENDPOINT;
    long tpm = kind == LimitId.Kind.UPSTREAM ? 100 : 0;
    return house.open((own ? tokens("/", 100, 60) : none("/")).to(upstream("up", 0, tpm)));
  }

  private Pending submit(Endpoint endpoint) {
    return endpoint.submit(
        new Ask(
            "m",
            Cost.ofInput(10),
            0,
            Patience.DEFAULT,
            0,
            Ask.Flow.ANONYMOUS,
            Ask.Kept.NOWHERE,
            caller.account,
            null));
  }

  private void grant() {
    for (Limit limit : shared) {
      limit.granted(
          List.of(new Tally.Counted(0, 10)),
          new Supplied(100, Long.MAX_VALUE, 0, 0),
          cell -> new Grid.Span(START, 2 * START));
      wake(limit);
    }
  }

  private void wake(Limit limit) {
    Objects.requireNonNull(limit.demand()).wake();
    house.drivers.run();
  }

  @ParameterizedTest
  @EnumSource(LimitId.Kind.class)
  void slices_letGoWhoWaitsForThem(LimitId.Kind kind) {
    Endpoint endpoint = open(kind);
    Pending pending = submit(endpoint);
    assertThat(waits(pending)).isTrue();
    assertThat(dry).isPositive();
    grant();
    assertThat(went(pending)).isTrue();
    assertThat(waits(submit(endpoint))).isTrue();
    assertBalanced(endpoint);
  }

  @ParameterizedTest
  @EnumSource(LimitId.Kind.class)
  void whileALimitIsShut_whoWaitsAndWhoComesIsRefused(LimitId.Kind kind) {
    Endpoint endpoint = open(kind);
    Pending before = submit(endpoint);
    shared.forEach(limit -> limit.cutOff(new Cut.Shut(REFUSAL)));
    shared.forEach(this::wake);
    assertThat(refusal(before)).isEqualTo(REFUSAL);
    assertThat(refusal(submit(endpoint))).isEqualTo(REFUSAL);
    shared.forEach(Limit::rejoin);
    Pending after = submit(endpoint);
    assertThat(waits(after)).isTrue();
    grant();
    assertThat(went(after)).isTrue();
    assertBalanced(endpoint);
  }

  @Test
  void whileALimitIsShut_anotherUpstreamServes() {
    Endpoint endpoint =
        house.open(none("/").to(upstream("up", 0, 100), upstream("unlimited", 0, 0)));
    assertThat(went(submit(endpoint))).isTrue();
    shared.forEach(limit -> limit.cutOff(new Cut.Shut(REFUSAL)));
    assertThat(went(submit(endpoint))).isTrue();
  }

  @Test
  void whileALimitIsOpen_allGo() {
    Endpoint endpoint = open(LimitId.Kind.ENDPOINT);
    Pending pending = submit(endpoint);
    shared.forEach(limit -> limit.cutOff(new Cut.Open()));
    shared.forEach(this::wake);
    assertThat(went(pending)).isTrue();
    for (int more = 0; more < 20; more++) {
      assertThat(went(submit(endpoint))).isTrue();
    }
  }

  @Test
  void keyThatRejects_isRefusedForWhatIsShut() {
    Caller bob = new Callers().rejecting("bob");
    share(bob);
    Endpoint endpoint = house.open(none("/").to(upstream("up", 0, 0)));
    shared.forEach(limit -> limit.cutOff(new Cut.Shut(REFUSAL)));
    assertThat(refusal(bob.submit(endpoint, 1))).isEqualTo(REFUSAL);
  }
}
