package io.penstock.gateway.request;

import io.penstock.cost.CostLearner;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.prefix.CacheLearner;
import org.jspecify.annotations.Nullable;

/** Passes on what answers teach about later requests. Safe from any thread. */
public final class AnswerLearning {
  private final CostLearner costLearner;
  private final CacheLearner cacheLearner;
  private final EventSink eventSink;
  private final UpstreamAffinity upstreamAffinity;
  private final LateUsage lateUsage;

  public AnswerLearning(
      CostLearner costLearner,
      CacheLearner cacheLearner,
      EventSink eventSink,
      UpstreamAffinity upstreamAffinity,
      LateUsage lateUsage) {
    this.lateUsage = lateUsage;
    this.upstreamAffinity = upstreamAffinity;
    this.costLearner = costLearner;
    this.cacheLearner = cacheLearner;
    this.eventSink = eventSink;
  }

  /** Returns what charges usage that comes after its request was settled. */
  LateUsage lateUsage() {
    return lateUsage;
  }

  /** Remembers which upstream gave an id that later requests may refer to. */
  void rememberOrigin(String upstream, String id) {
    upstreamAffinity.remember(upstream, id);
  }

  /**
   * Reports that a call of an upstream is over.
   *
   * @param error as in {@link Event.Called}
   */
  void called(
      RequestContext requestContext,
      @Nullable TokenUsage tokenUsage,
      @Nullable String error,
      long now) {
    requestContext.trail().callEnded(tokenUsage, error);
    TicketSettlement ticketSettlement = requestContext.settlement();
    ModelOperation modelOperation = requestContext.operation();
    if (modelOperation == null || ticketSettlement == null || ticketSettlement.upstream() == null) {
      return;
    }
    eventSink.publish(
        new Event.Called(
            now,
            requestContext.endpoint().path(),
            ticketSettlement.upstream().spec().id(),
            requestContext.askedModel(),
            requestContext.endpoint().spec().reading().dialect(),
            modelOperation,
            ticketSettlement.lastedNanos(now),
            tokenUsage,
            error));
  }

  /** Reports that the first output of a stream has come. */
  void began(RequestContext requestContext, long now) {
    TicketSettlement ticketSettlement = requestContext.settlement();
    ModelOperation modelOperation = requestContext.operation();
    if (modelOperation == null || ticketSettlement == null || ticketSettlement.upstream() == null) {
      return;
    }
    eventSink.publish(
        new Event.FirstOutput(
            now,
            requestContext.endpoint().path(),
            ticketSettlement.upstream().spec().id(),
            requestContext.askedModel(),
            requestContext.endpoint().spec().reading().dialect(),
            modelOperation,
            ticketSettlement.lastedNanos(now)));
  }

  /** Learns from the input that an answer states, which is known once for each answer. */
  void inputStated(RequestContext requestContext, TokenUsage tokenUsage, long now) {
    CacheLearner.Prompt prompt = requestContext.prompt();
    TicketSettlement ticketSettlement = requestContext.settlement();
    String model = requestContext.askedModel();
    if (prompt == null
        || model == null
        || ticketSettlement == null
        || ticketSettlement.upstream() == null) {
      return;
    }
    boolean changed =
        cacheLearner.stated(
            prompt,
            ticketSettlement.upstream().spec().id(),
            model,
            tokenUsage,
            now - ticketSettlement.lastedNanos(now),
            now);
    ticketSettlement.cacheLearned(changed);
  }

  /**
   * Learns that a provider refused a request because of its limits. If part of its input was
   * expected to be read from a cache, that may have been wrong.
   */
  public void limited(RequestContext requestContext) {
    CacheLearner.Prompt prompt = requestContext.prompt();
    TicketSettlement ticketSettlement = requestContext.settlement();
    String model = requestContext.askedModel();
    if (prompt != null
        && model != null
        && ticketSettlement != null
        && ticketSettlement.upstream() != null
        && ticketSettlement.reliesOnCache()) {
      cacheLearner.doubted(prompt, ticketSettlement.upstream().spec().id(), model);
      ticketSettlement.cacheLearned(true);
    }
  }

  /**
   * Learns from a request that was answered to its end and without an error.
   *
   * @param id the id that the answer gave, to which later requests may refer; null if it gave none,
   *     or did not state its usage
   */
  void answered(
      RequestContext requestContext,
      @Nullable TokenUsage tokenUsage,
      @Nullable String id,
      long now) {
    RequestContent requestContent = requestContext.content();
    if (requestContent == null || tokenUsage == null) {
      return;
    }
    costLearner.answered(requestContent, requestContext.key(), tokenUsage);
    if (id != null && requestContent.unseenInput()) {
      costLearner.chained(requestContext.key(), id, tokenUsage);
    }
    eventSink.publish(
        new Event.Estimated(
            now,
            requestContext.endpoint().path(),
            requestContent.model(),
            requestContext.cost().inputTokens(),
            tokenUsage.inputTokens()));
  }
}
