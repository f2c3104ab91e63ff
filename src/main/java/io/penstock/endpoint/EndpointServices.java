package io.penstock.endpoint;

import io.penstock.dispatch.AlarmSource;
import io.penstock.event.EventSink;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.sharing.LimitSource;
import io.penstock.time.Ticker;
import io.penstock.usage.UsageSink;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Services that all endpoints share.
 *
 * @param upstreams all upstreams
 * @param models the quotas of models over all upstreams
 * @param limits the source of limits
 * @param ticker the clock
 * @param alarms creates the alarms that run their steps
 * @param events receives their events
 * @param arrivals the next arrival number
 * @param directory the directory of waiting tickets
 * @param ledger counts what requests used
 */
public record EndpointServices(
    UpstreamRegistry upstreams,
    ModelQuotas models,
    LimitSource limits,
    Ticker ticker,
    AlarmSource alarms,
    EventSink events,
    AtomicLong arrivals,
    TicketDirectory directory,
    UsageSink ledger) {}
