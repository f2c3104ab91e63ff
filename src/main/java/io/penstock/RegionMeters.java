package io.penstock;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.metrics.SyncMeters;
import io.penstock.region.RegionStatistics;
import java.util.Map;

/** Meters of the exchange between regions. */
final class RegionMeters {
  private static final String FAILED = "failed";
  private static final String TIMED_OUT = "timed_out";

  private record Shown(RegionStatistics ledger) implements SyncMeters.Way {
    @Override
    public long answered() {
      return ledger.answered();
    }

    @Override
    public long answeredNanos() {
      return ledger.answeredNanos();
    }

    @Override
    public Map<String, Long> errors() {
      return Map.of(FAILED, ledger.failed(), TIMED_OUT, ledger.timedOut());
    }
  }

  private RegionMeters() {}

  static void add(MeterRegistry registry, RegionStatistics regionStatistics) {
    Shown shown = new Shown(regionStatistics);
    SyncMeters.add(registry, "regions", () -> shown, shown.errors().keySet());
    SyncMeters.addDropped(registry, "counts", regionStatistics::droppedCounts);
    SyncMeters.addDropped(registry, "denials", regionStatistics::droppedDenials);
    SyncMeters.addIgnored(registry, regionStatistics::ignored);
  }
}
