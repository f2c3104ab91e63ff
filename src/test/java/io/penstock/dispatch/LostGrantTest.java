package io.penstock.dispatch;

import static io.penstock.endpoint.EndpointFixture.none;
import static io.penstock.endpoint.EndpointFixture.settlement;
import static io.penstock.endpoint.EndpointFixture.upstream;
import static io.penstock.endpoint.EndpointFixture.waits;
import static io.penstock.endpoint.EndpointFixture.went;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.FakeCallers;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitObserver;
import io.penstock.refusal.RefusalReason;
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
  private final EndpointFixture endpointFixture = new EndpointFixture();
  private final FakeCallers.Caller alice =
      new FakeCallers()
          .waiting("alice")
          .limit(LimitMeasure.CONCURRENCY, 1, RefusalReason.KEY_CONCURRENCY);

  private @Nullable ParkedTicket beside;

  @AfterEach
  void totalsBalance() {
    endpointFixture.registry.all().forEach(EndpointFixture::assertBalanced);
  }

  /**
   * Runs an action once between two takes of one grant, as another thread may: at that point the
   * waiters of the key's quota are asked whether they have claims.
   */
  private static final class Meanwhile extends WaitObserver {
    private final Runnable action;
    private boolean acted;

    Meanwhile(Runnable action) {
      this.action = action;
    }

    @Override
    public boolean mayHaveClaim() {
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
    alice.quota.waitList().join(new Meanwhile(action));
  }

  /** Submits a request of the key at the other endpoint, where it has to wait. */
  private void comesBeside() {
    ParkedTicket parkedTicket = alice.submit(endpointFixture.endpoint("/b"), 1);
    assertThat(waits(parkedTicket)).isTrue();
    beside = parkedTicket;
  }

  @Test
  void anotherTookTheLastOfTheUpstream_whoFoundTheKeyTakenGoes() {
    endpointFixture.apply(none("/a").to(upstream("u", 1, 0)), none("/b"));
    Quota ofUpstream =
        Objects.requireNonNull(endpointFixture.upstreams.find("u"))
            .pool(null, endpointFixture.ticker.nanos());
    meanwhile(
        () -> {
          assertThat(
                  ofUpstream.take(
                      Cost.NO_TOKENS, endpointFixture.ticker.nanos(), new ArrayList<>()))
              .isTrue();
          comesBeside();
        });

    ParkedTicket slower = alice.submit(endpointFixture.endpoint("/a"), 1);
    endpointFixture.drivers.run();

    assertThat(waits(slower)).isTrue();
    assertThat(went(Objects.requireNonNull(beside))).isTrue();
  }

  @Test
  void clientWentAway_whoFoundTheKeyTakenGoes() {
    endpointFixture.apply(none("/a").to(upstream("u", 0, 0)), none("/b"));
    ParkedTicket runs = alice.submit(endpointFixture.endpoint("/b"), 1);
    ParkedTicket leaves = alice.submit(endpointFixture.endpoint("/a"), 1);
    assertThat(waits(leaves)).isTrue();
    meanwhile(
        () -> {
          leaves.cancel();
          comesBeside();
        });

    settlement(runs).permitted(endpointFixture.ticker.nanos());
    endpointFixture.drivers.run();

    assertThat(leaves.outcome()).isNull();
    assertThat(went(Objects.requireNonNull(beside))).isTrue();
  }
}
