package io.penstock.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.cost.Cost;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.fake.FakeDrivers;
import io.penstock.fake.FakeTicker;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LocalLimitSource;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Costs of recording a request. */
class RequestTrailTest {
  private static final int REQUESTS = 20_000;
  private static final long MINUTE = 60_000_000_000L;
  private static final URI BASE = URI.create("http://provider.example");
  private static final UpstreamSpec UPSTREAM = UpstreamSetup.of("u").spec();

  private final Endpoint endpoint = endpoint();
  private final ParkedTicket parkedTicket =
      endpoint.submit(RequestFixture.request("m", Cost.ofInput(7)));
  private final TicketSettlement ticketSettlement = settlement();
  private final Refusal refusal = Refusal.of(RefusalReason.QUEUE_FULL, "no");
  private final HttpHeaders headers = new DefaultHttpHeaders();
  private final TokenUsage usage = new TokenUsage(7, 0, 3);

  private static Endpoint endpoint() {
    FakeTicker ticker = new FakeTicker();
    LocalLimitSource limits = new LocalLimitSource();
    EndpointRegistry registry =
        new EndpointRegistry(
            EndpointFixture.services(
                UpstreamFixture.registry(limits, MINUTE),
                new ModelQuotas(limits, MINUTE),
                limits,
                ticker,
                new FakeDrivers(ticker),
                event -> {}));
    registry.apply(
        List.of(
            EndpointFixture.none("/a")
                .bounds(10, 1_000, 1_000)
                .reading(EndpointSetup.reading(DialectTable.OPENAI, CostSource.BODY, 1, 0, 1_000))
                .to(UPSTREAM)
                .spec()));
    return Objects.requireNonNull(registry.find("/a"));
  }

  private TicketSettlement settlement() {
    if (parkedTicket.outcome() instanceof TicketOutcome.Granted(TicketSettlement granted)) {
      return granted;
    }
    throw new AssertionError("it waits, expected that it goes");
  }

  private void tell(RequestTrail trail) {
    trail.entered(endpoint, "id", "anonymous");
    trail.submitted(parkedTicket);
    trail.released(ticketSettlement);
    trail.callStarts(UPSTREAM, BASE, "m", ModelOperation.CHAT);
    trail.setTraceHeaders(headers);
    trail.statusReceived(200);
    trail.bytesForwarded(4_096);
    trail.modelNamed("m-2026");
    trail.callEnded(usage, null);
    trail.refused(refusal);
    trail.ended(200, null);
  }

  private long allocatedBy(RequestTrail trail) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    tell(trail);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int request = 0; request < REQUESTS; request++) {
      tell(trail);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /** Keeps some data of each request. */
  private static final class Keeping implements RequestTrail {
    private byte @Nullable [] kept;

    @Override
    public void modelNamed(String model) {
      kept = new byte[kept == null ? 1 : 2];
    }
  }

  @Test
  void requestThatNobodyFollows_allocatesNothingForIt() {
    assertThat(allocatedBy(RequestTrail.NONE)).as("less than a byte each").isLessThan(REQUESTS);
    assertThat(RequestTrail.NONE.traceId()).isNull();
    assertThat(allocatedBy(new Keeping())).as("is seen").isGreaterThan(REQUESTS);
  }
}
