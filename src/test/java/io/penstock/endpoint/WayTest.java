package io.penstock.endpoint;

import static io.penstock.endpoint.House.SECOND;
import static io.penstock.endpoint.House.START;
import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.submit;
import static io.penstock.endpoint.House.tokens;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.limit.Limit;
import io.penstock.pool.Failure;
import io.penstock.pool.Lesson;
import io.penstock.pool.Tries;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Gate;
import io.penstock.quota.Onlooker;
import io.penstock.refusal.Reason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the route a ticket takes, and of what its grant, or the lack of one, does to others. */
class WayTest {
  private final House house = new House();

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(house.upstreams.find(id));
  }

  @Test
  void shadow_noUpstreamIsOpen_goesToTheHealthyOne_thoughTheOtherIsTriedSooner() {
    Endpoint endpoint = house.openShadow(none("/a").to(upstream("u", 0, 100), upstream("v", 0, 0)));
    Lesson lesson = new Lesson(429, List.of(), 30 * SECOND, Lesson.Wording.RATE);
    upstreamOf("u").judge(new Tries(null, 1, 0, true), lesson, START);
    upstreamOf("v").health().tryFrom(START + 20 * SECOND, SECOND);
    assertThat(settlement(submit(endpoint, 1)).upstream()).isSameAs(upstreamOf("u"));
  }

  @Test
  void onesGoingLeavesRoomForTheDay_nobodyElseIsWoken() {
    UpstreamSpec u = upstream("u", 0, 100);
    house.apply(none("/a").to(u), none("/b").to(u));
    submit(house.endpoint("/a"), 60);
    Pending large = submit(house.endpoint("/b"), 80);
    house.drivers.run();
    assertThat(went(submit(house.endpoint("/a"), 1))).isTrue();
    assertThat(waits(large)).isTrue();
    assertThat(house.drivers.driver(0).isIdle()).isTrue();
    assertThat(house.drivers.driver(1).isIdle()).isTrue();
  }

  /** Runs an action once, when something is taken from a key's quota. */
  private static void whenTakenFrom(Callers.Caller caller, Runnable action) {
    caller
        .quota
        .line()
        .join(
            new Onlooker() {
              private boolean acted;

              @Override
              public boolean keeps() {
                if (!acted) {
                  acted = true;
                  action.run();
                }
                return false;
              }

              @Override
              public void wake() {}
            });
  }

  @Test
  void shadowFindsItsEndpointsLimitTakenMeanwhile_theTrialIsLeftToARequest() {
    Callers.Caller alice =
        new Callers().waiting("alice").limit(Measure.REQUESTS, 9, Reason.KEY_RPM);
    Endpoint endpoint = house.openShadow(tokens("/a", 100, 60).to(upstream("u", 0, 0)));
    submit(endpoint, 100);
    alice.submit(endpoint, Cost.ofInput(80)); // its shadow waits until the window ends
    Gate gate = upstreamOf("u").health();
    gate.tryFrom(START + 60 * SECOND, 5 * SECOND);
    Limit limit = endpoint.limits().getFirst().limit();
    boolean[] taken = {false};
    whenTakenFrom(alice, () -> taken[0] = limit.admit(50, START + 60 * SECOND));
    house.at(60 * SECOND);
    assertThat(taken[0]).isTrue();
    assertThat(gate.onTrial()).isTrue();
    assertThat(gate.pass(START + 60 * SECOND)).isTrue();
  }

  private static Pending ask(Endpoint endpoint, String model, long tokens) {
    return endpoint.submit(Ask.of(model, Cost.ofInput(tokens), 0, Patience.DEFAULT));
  }

  private static UpstreamSpec serving(String id, String model) {
    return upstream(id, 0, 100, Charge.TOTAL, Map.of(model, model), null);
  }

  @Test
  void claimTakenOver_andOneOfAnotherModelClaimsAtOnce_nobodyPassesByTheOtherWay() {
    Endpoint endpoint =
        house.open(
            none("/a").maxSkips(0).to(serving("u", "m"), serving("v", "m"), serving("w", "n")));
    ask(endpoint, "m", 100);
    ask(endpoint, "m", 30);
    Pending claimsU = ask(endpoint, "m", 80);
    Pending passes = ask(endpoint, "m", 60);
    assertThat(settlement(passes).upstream()).isSameAs(upstreamOf("v"));
    Pending takesOver = settlement(passes).again(Failure.BROKEN, false, START);
    house.drivers.run();
    ask(endpoint, "n", 100);
    Pending claimsW = ask(endpoint, "n", 50); // claims w once another ticket would pass it
    assertThat(List.of(claimsU, Objects.requireNonNull(takesOver), claimsW)).allMatch(House::waits);

    Pending last = ask(endpoint, "m", 5);
    house.drivers.run();
    assertThat(waits(last)).isTrue();
  }
}
