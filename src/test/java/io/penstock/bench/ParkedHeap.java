package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.Patience;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.queue.Order;
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
    LimitSpec slots = new LimitSpec.Strict(new Rate(1, 1_000_000));
    Core core =
        new Core(Core.permit(Algorithm.STRICT, slots, Order.valueOf(arguments[0])), event -> {});
    Ask.Flow[] flows = new Ask.Flow[FLOWS];
    for (int flow = 0; flow < FLOWS; flow++) {
      flows[flow] = new Ask.Flow("flow-" + flow, 1);
    }
    park(core, flows, WARM_UP);
    long before = usedBytes();
    park(core, flows, MANY);
    long after = usedBytes();
    long waiting = core.endpoint().totals().requests(Fate.WAITING);
    if (waiting != WARM_UP + MANY - 1) {
      throw new IllegalStateException(waiting + " wait");
    }
    System.out.println((after - before) / MANY);
  }

  private static void park(Core core, Ask.Flow[] flows, int many) {
    SplittableRandom random = new SplittableRandom(1);
    AtomicLong told = new AtomicLong();
    for (int at = 0; at < many; at++) {
      Cost cost = Trace.draw(random);
      Ask ask = new Ask("a-model", cost, 0, Patience.DEFAULT, 0, flows[at % FLOWS]);
      core.endpoint().submit(ask).whenDecided(outcome -> told.incrementAndGet());
      core.run();
    }
  }

  private static long usedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
