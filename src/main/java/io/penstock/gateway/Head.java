package io.penstock.gateway;

import io.penstock.endpoint.TicketSettlement;
import io.penstock.pool.Upstream;
import io.penstock.wire.Names;
import org.springframework.http.HttpHeaders;

/** Writes the gateway's own headers, which every answer has. */
final class Head {
  private Head() {}

  static void write(HttpHeaders headers, Passage passage, TicketSettlement ticketSettlement) {
    write(headers, passage);
    Upstream upstream = ticketSettlement.upstream();
    if (upstream != null) {
      String model = ticketSettlement.model();
      boolean fallback = model != null && !model.equals(passage.model());
      String id = upstream.spec().id();
      headers.set(Names.UPSTREAM, fallback ? id + "/" + model : id);
    }
    passage.told().forEach(headers::set);
    headers.set(Names.QUEUED_MS, Long.toString(ticketSettlement.waitedNanos() / 1_000_000));
  }

  /** Writes the headers that are known before a request is sent. */
  static void write(HttpHeaders headers, Passage passage) {
    headers.set(Names.REQUEST_ID, passage.requestId());
    headers.set(Names.ENDPOINT, passage.endpoint().path());
    headers.set(Names.COST, Long.toString(passage.cost().totalTokens()));
  }
}
