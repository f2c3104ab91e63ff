package io.penstock.endpoint;

import static io.penstock.endpoint.House.none;
import static io.penstock.endpoint.House.settlement;
import static io.penstock.endpoint.House.upstream;
import static io.penstock.endpoint.House.waits;
import static io.penstock.endpoint.House.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.quota.Onlooker;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of grants that fail after the permit of a key was taken, and give it back. A request of the
 * same key that arrived at another endpoint meanwhile found it taken, and only this can wake it.
 */
class LostGrantTest {
  private final House house = new House();
  private final Callers.Caller alice =
      new Callers().waiting("alice").limit(Measure.CONCURRENCY, 1, Reason.KEY_CONCURRENCY);

  private @Nullable Pending beside;

  @AfterEach
  void totalsBalance() {
    house.registry.all().forEach(House::assertBalanced);
  }

  /**
   * Runs an action once between two takes of one grant, as another thread may: at that point the
   * waiters of the key's quota are asked whether they have claims.
   */
  private static final class Meanwhile extends Onlooker {
    private final Runnable action;
    private boolean acted;

    Meanwhile(Runnable action) {
      this.action = action;
    }

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
  }

  private void meanwhile(Runnable action) {
    alice.quota.line().join(new Meanwhile(action));
  }

  /** Submits a request of the key at the other endpoint, where it has to wait. */
  private void comesBeside() {
    Pending pending = alice.submit(house.endpoint("/b"), 1);
    assertThat(waits(pending)).isTrue();
    beside = pending;
  }

  @Test
  void anotherTookTheLastOfTheUpstream_whoFoundTheKeyTakenGoes() {
    house.apply(none("/a").to(upstream("u", 1, 0)), none("/b"));
    Quota ofUpstream =
        Objects.requireNonNull(house.upstreams.find("u")).pool(null, house.ticker.nanos());
    meanwhile(
        () -> {
          assertThat(ofUpstream.take(Cost.NO_TOKENS, house.ticker.nanos(), new ArrayList<>()))
              .isTrue();
          comesBeside();
        });

    Pending slower = alice.submit(house.endpoint("/a"), 1);
    house.drivers.run();

    assertThat(waits(slower)).isTrue();
    assertThat(went(Objects.requireNonNull(beside))).isTrue();
  }

  @Test
  void clientWentAway_whoFoundTheKeyTakenGoes() {
    house.apply(none("/a").to(upstream("u", 0, 0)), none("/b"));
    Pending runs = alice.submit(house.endpoint("/b"), 1);
    Pending leaves = alice.submit(house.endpoint("/a"), 1);
    assertThat(waits(leaves)).isTrue();
    meanwhile(
        () -> {
          house.endpoint("/a").cancel(leaves);
          comesBeside();
        });

    settlement(runs).permitted(house.ticker.nanos());
    house.drivers.run();

    assertThat(leaves.outcome()).isNull();
    assertThat(went(Objects.requireNonNull(beside))).isTrue();
  }
}
