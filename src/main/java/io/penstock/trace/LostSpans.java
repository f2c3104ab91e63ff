package io.penstock.trace;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts spans that did not reach a collector, and logs the first loss after each success. */
final class LostSpans implements SpanQueue.Lost {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.trace");

  private final Counter counter;
  private final AtomicBoolean failing = new AtomicBoolean();

  LostSpans(MeterRegistry meters) {
    this.counter =
        Counter.builder("penstock.trace.spans.lost")
            .description("Spans of traces that did not reach the collector")
            .register(meters);
  }

  @Override
  public void lost(int spans, boolean full) {
    counter.increment(spans);
    if (failing.compareAndSet(false, true)) {
      LOG.warn(
          full
              ? "traces: there are more spans than the collector takes, some are lost"
              : "traces: the collector does not take spans, they are lost");
    }
  }

  @Override
  public void reached() {
    if (failing.get() && failing.compareAndSet(true, false)) {
      LOG.info("traces: the collector takes spans again, {} were lost", (long) counter.count());
    }
  }
}
