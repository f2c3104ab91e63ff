package io.penstock.operator;

import io.penstock.config.ConfigurationReloader;
import io.penstock.config.ProgramVersion;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** The state of this instance, for operators. Safe from any thread. */
final class InstanceView {
  private final SharingView sharing;
  private final SharingPeers peers;
  private final BooleanSupplier stopping;
  private final ConfigurationReloader reloader;
  private final Ticker ticker;
  private final WallClock clock;
  private final String started;

  /**
   * Creates a view of an instance that has just started.
   *
   * @param stopping returns whether the instance stops
   */
  InstanceView(
      SharingView sharing,
      SharingPeers peers,
      BooleanSupplier stopping,
      ConfigurationReloader reloader,
      Ticker ticker,
      WallClock clock) {
    this.sharing = sharing;
    this.peers = peers;
    this.stopping = stopping;
    this.reloader = reloader;
    this.ticker = ticker;
    this.clock = clock;
    this.started = now().text(ticker.nanos());
  }

  private ClockReading now() {
    return new ClockReading(ticker.nanos(), clock.unixMillis());
  }

  /** Returns it as JSON on one line. */
  String json() {
    return OperatorJson.text(view());
  }

  /** Returns it as a tree of JSON nodes. */
  JsonNode view() {
    SharingView.Outage outage = sharing.outage().get();
    var view =
        OperatorJson.object()
            .put("version", ProgramVersion.running().version())
            .put("started_at", started)
            .put("stopping", stopping.getAsBoolean())
            .put("members", sharing.members().getAsLong())
            .put("redis_away_since", outage == null ? null : now().text(outage.sinceNanos()));
    ArrayNode faults = view.putArray("not_applied");
    reloader.standingFaults().forEach(fault -> faults.add(fault.toString()));
    return view.set("sync", OperatorJson.tree(peers.standings()));
  }
}
