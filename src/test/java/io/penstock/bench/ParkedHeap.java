package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketRequest;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prints the heap size of a parked ticket: everything that the endpoint keeps of it, and its
 * request. Bodies and connections are not included.
 */
final class ParkedHeap {
  private static final int WARM_UP = 1_000;
  private static final int MANY = 100_000;
  private static final int FLOWS = 5_000;

  private ParkedHeap() {}

  /** Measures tickets that wait in the order given as the only argument. */
  public static void main(String[] arguments) {
    LimitSpec slots = new LimitSpec.Strict(new ExactRate(1, 1_000_000), 0);
    BenchCore core =
        new BenchCore(BenchCore.permit(slots, QueueOrder.valueOf(arguments[0])), event -> {});
    TicketRequest.Flow[] flows = new TicketRequest.Flow[FLOWS];
    for (int flow = 0; flow < FLOWS; flow++) {
      flows[flow] = new TicketRequest.Flow("flow-" + flow, 1);
    }
    park(core, flows, WARM_UP);
    long before = usedBytes();
    park(core, flows, MANY);
    long after = usedBytes();
    long waiting = core.endpoint().totals().requests(TicketFate.WAITING);
    if (waiting != WARM_UP + MANY - 1) {
      throw new IllegalStateException(waiting + " wait");
    }
    System.out.println((after - before) / MANY);
  }

  private static void park(BenchCore core, TicketRequest.Flow[] flows, int many) {
    SplittableRandom random = new SplittableRandom(1);
    AtomicLong told = new AtomicLong();
    for (int at = 0; at < many; at++) {
      Cost cost = RequestSizes.draw(random);
      TicketRequest ticketRequest =
          RequestFixture.of("a-model", cost).flow(flows[at % FLOWS]).made();
      core.endpoint().submit(ticketRequest).whenDecided(outcome -> told.incrementAndGet());
      core.run();
    }
  }

  private static long usedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
