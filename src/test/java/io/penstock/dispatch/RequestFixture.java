package io.penstock.dispatch;

import io.penstock.cost.Cost;
import io.penstock.dispatch.TicketRequest.Flow;
import io.penstock.dispatch.TicketRequest.Origin;
import io.penstock.dispatch.TicketRequest.RequestAffinity;
import io.penstock.dispatch.TicketRequest.SharedPrefix;
import io.penstock.quota.CallerAccount;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Builds requests in which only what a test is about differs from the defaults. */
public final class RequestFixture {
  private static final AtomicLong SESSIONS = new AtomicLong();

  private final @Nullable String model;
  private final Cost cost;
  private long bytes;
  private WaitPatience patience = WaitPatience.DEFAULT;
  private int priority;
  private Flow flow = Flow.ANONYMOUS;
  private RequestAffinity affinity = RequestAffinity.NONE;
  private @Nullable CallerAccount account;
  private @Nullable Set<String> models;
  private Origin origin = new Origin(null, null, null);
  private @Nullable Object tenant;
  private @Nullable Long fingerprint;
  private String session = "session " + SESSIONS.incrementAndGet();
  private @Nullable SharedPrefix sharedPrefix;
  private @Nullable CacheForecast forecast;

  private RequestFixture(@Nullable String model, Cost cost) {
    this.model = model;
    this.cost = cost;
  }

  public static RequestFixture of(@Nullable String model, Cost cost) {
    return new RequestFixture(model, cost);
  }

  /** Returns a request of default priority, flow and affinity, from a caller without limits. */
  public static TicketRequest request(@Nullable String model, Cost cost) {
    return of(model, cost).made();
  }

  public RequestFixture bytes(long held) {
    bytes = held;
    return this;
  }

  public RequestFixture patience(WaitPatience howLong) {
    patience = howLong;
    return this;
  }

  public RequestFixture priority(int level) {
    priority = level;
    return this;
  }

  public RequestFixture flow(Flow whose) {
    flow = whose;
    return this;
  }

  public RequestFixture affinity(RequestAffinity kept) {
    affinity = kept;
    return this;
  }

  public RequestFixture account(@Nullable CallerAccount caller) {
    account = caller;
    return this;
  }

  public RequestFixture models(@Nullable Set<String> allowed) {
    models = allowed;
    return this;
  }

  RequestFixture sharedPrefix(@Nullable SharedPrefix beginning) {
    sharedPrefix = beginning;
    return this;
  }

  RequestFixture forecast(CacheForecast ofCached) {
    forecast = ofCached;
    return this;
  }

  public RequestFixture origin(Origin sender) {
    origin = sender;
    return this;
  }

  /** Sets whose share it uses; otherwise that is its key. */
  public RequestFixture tenant(Object sender) {
    tenant = sender;
    return this;
  }

  /** Sets the session that it names; otherwise it has one of its own. */
  public RequestFixture session(String name) {
    session = name;
    return this;
  }

  /** Sets what tells it apart from requests with other bytes. */
  public RequestFixture fingerprint(long ofBytes) {
    fingerprint = ofBytes;
    return this;
  }

  public TicketRequest made() {
    return new TicketRequest(
        model,
        cost,
        bytes,
        patience,
        flow,
        affinity,
        new TicketRequest.Sender(
            origin,
            Objects.requireNonNullElse(tenant, Objects.requireNonNullElse(origin.key(), "nobody")),
            session,
            fingerprint,
            account,
            models,
            priority),
        new TicketRequest.CacheUse(sharedPrefix, forecast));
  }
}
