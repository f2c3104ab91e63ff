package io.penstock.bench;

import io.penstock.cost.Cost;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * In each step one ticket arrives and waits, and another is released and settled, while 5,000
 * tickets of as many flows wait: everything that an endpoint does except HTTP and timers.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
public class ParkingBenchmark {
  private static final int WAITING = 5_000;
  private static final long SLOT_NANOS = 1_000;

  /** The measured orders. */
  static final List<QueueOrder> ORDERS = List.of(QueueOrder.FIFO, QueueOrder.FAIR);

  /** The order of release. */
  @Param({"FIFO", "FAIR"})
  public QueueOrder order = QueueOrder.FIFO;

  /** Number of additional flows that were active before and are idle now. */
  @Param({"0", "1000000"})
  public int idle;

  private final SplittableRandom random = new SplittableRandom(1);
  private BenchCore benchCore = new BenchCore(spec(QueueOrder.FIFO), event -> {});
  private TicketRequest[] asks = {};
  private int next;

  /** Lets the idle flows come and go, and parks the others. */
  @Setup
  public void fill() {
    benchCore = new BenchCore(spec(order), event -> {});
    asks = new TicketRequest[WAITING];
    for (int flow = 0; flow < WAITING; flow++) {
      asks[flow] = ask(flow);
    }
    // Only the core remembers these flows; the cost of that is measured.
    for (int flow = WAITING; flow < WAITING + idle; flow++) {
      submit(0, ask(flow));
      benchCore.until(benchCore.now() + SLOT_NANOS);
    }
    for (int flow = 0; flow < WAITING; flow++) {
      submit(flow); // the first is released at once
    }
  }

  private static EndpointSpec spec(QueueOrder queueOrder) {
    LimitSpec slots = new LimitSpec.Strict(new ExactRate(BenchCore.SECOND / SLOT_NANOS, 1), 0);
    return BenchCore.permit(slots, queueOrder);
  }

  private TicketRequest ask(int flow) {
    Cost cost = new Cost(1 + random.nextInt(4_000), 1 + random.nextInt(400), 0);
    return RequestFixture.of(null, cost).flow(new TicketRequest.Flow("flow-" + flow, 1)).made();
  }

  private void submit(int flow) {
    submit(flow, asks[flow]);
  }

  private void submit(int flow, TicketRequest ticketRequest) {
    Endpoint endpoint = benchCore.endpoint();
    endpoint.submit(ticketRequest).whenDecided(outcome -> decided(flow, outcome));
    benchCore.run();
  }

  private void decided(int flow, TicketOutcome outcome) {
    if (outcome instanceof TicketOutcome.Granted(var settlement)) {
      settlement.permitted(benchCore.now());
      next = flow;
    } else {
      throw new IllegalStateException("expected a grant: " + outcome);
    }
  }

  /** Submits again the flow that was released last, and releases the next ticket. */
  @Benchmark
  public int parkAndRelease() {
    submit(next);
    benchCore.next();
    return next;
  }
}
