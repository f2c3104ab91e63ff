package io.penstock.gateway.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Tests bodies of all kinds in random order: the bounds hold all the time, and every body comes to
 * an end.
 */
class BodyBudgetRandomTest {
  private static final int KIB = 1024;
  private static final int PIECE = 16 * KIB;
  private static final int MOST_BODY = 300 * KIB;
  private static final long BUDGET = 1024 * KIB;
  private static final int TENANTS = 6;
  private static final int BODIES = 120;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final BodyBudget budget = new BodyBudget(BUDGET, 0.25);

  @RepeatedTest(5)
  void anyOrder_holdsTheBounds_andAllComeToTheirEnd() {
    List<Body> bodies = new ArrayList<>();
    for (int each = 0; each < BODIES; each++) {
      bodies.add(new Body("tenant " + random.nextInt(TENANTS)));
    }
    int steps = 0;
    while (bodies.stream().anyMatch(body -> !body.done)) {
      bodies.get(random.nextInt(BODIES)).step();
      assertBounds(bodies);
      assertThat(++steps).as("steps, seed %d", seed).isLessThan(1_000_000);
    }
    assertThat(budget.heldBytes()).as("seed %d", seed).isZero();
    assertThat(budget.waiting()).as("seed %d", seed).isZero();
    assertThat(budget.waitingBytes()).as("seed %d", seed).isZero();
    assertThat(budget.parkedBytes()).as("seed %d", seed).isZero();
    assertThat(budget.tenants()).as("seed %d", seed).isZero();
  }

  private void assertBounds(List<Body> bodies) {
    Map<String, Long> read = new HashMap<>();
    long all = 0;
    for (Body body : bodies) {
      if (!body.done) {
        read.merge(body.tenant, (long) body.read, Long::sum);
        all += body.read;
      }
    }
    assertThat(all).as("read, seed %d", seed).isLessThanOrEqualTo(budget.heldBytes() + slack());
    // half-read bodies that wait to grow are not counted against each other
    assertThat(budget.heldBytes()).as("held, seed %d", seed).isLessThanOrEqualTo(2 * BUDGET);
    long share = 2 * (BUDGET / 4) + BUDGET / 8 / 4;
    read.forEach(
        (tenant, bytes) ->
            assertThat(bytes)
                .as("%s, seed %d", tenant, seed)
                .isLessThanOrEqualTo(share + MOST_BODY + slack()));
    assertThat(budget.parkedBytes())
        .as("parked, seed %d", seed)
        .isLessThanOrEqualTo(BUDGET / 2 + MOST_BODY - BUDGET / 4); // one may exceed its share
  }

  /**
   * Returns by how much bodies of unstated length may exceed what they have been granted: one piece
   * each.
   */
  private static long slack() {
    return (long) BODIES * PIECE;
  }

  /**
   * A body that is read piece by piece, waits for a while in a queue and ends, or leaves before
   * that.
   */
  private final class Body {
    private final String tenant;
    private final int length;
    private final BodyBudget.Claim claim;
    private int read;
    private boolean waits;
    private boolean parks;
    private boolean done;

    Body(String tenant) {
      this.tenant = tenant;
      this.length = random.nextBoolean() ? random.nextInt(MOST_BODY) : random.nextInt(64 * KIB);
      this.claim = budget.claim(tenant);
      claim.expect(random.nextInt(3) == 0 ? -1 : length, MOST_BODY);
    }

    void step() {
      if (done) {
        return;
      }
      if (random.nextInt(200) == 0) {
        leave();
      } else if (read == length && !waits) {
        end();
      } else if (!waits) {
        readOn();
      }
    }

    private void readOn() {
      waits = !claim.mayRead(() -> waits = false);
      if (waits) {
        return;
      }
      int piece = Math.min(PIECE, length - read);
      claim.add(piece);
      read += piece;
    }

    private void end() {
      claim.complete();
      if (parks || random.nextInt(3) == 0 || !claim.park()) {
        leave();
      } else {
        parks = true;
      }
    }

    private void leave() {
      claim.release();
      done = true;
    }
  }
}
