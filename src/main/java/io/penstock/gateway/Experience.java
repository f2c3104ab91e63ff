package io.penstock.gateway;

import io.penstock.cost.CostLearner;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import io.penstock.endpoint.TicketSettlement;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.usage.UsageLedger;
import org.jspecify.annotations.Nullable;

/** Passes on what answers teach about later requests. Safe from any thread. */
final class Experience {
  private final CostLearner costLearner;
  private final EventSink eventSink;
  private final Ties ties;
  private final UsageLedger usageLedger;

  Experience(CostLearner costLearner, EventSink eventSink, Ties ties, UsageLedger usageLedger) {
    this.usageLedger = usageLedger;
    this.ties = ties;
    this.costLearner = costLearner;
    this.eventSink = eventSink;
  }

  /** Remembers which upstream gave an id that later requests may refer to. */
  void gave(String upstream, String id) {
    ties.gave(upstream, id);
  }

  /** Counts the usage of a request that got an answer, or a part of one; called once for each. */
  void settled(
      Passage passage, @Nullable TokenUsage tokenUsage, long outputTokens, boolean successful) {
    long input = tokenUsage == null ? passage.cost().inputTokens() : tokenUsage.inputTokens();
    long output = tokenUsage == null ? outputTokens : tokenUsage.outputTokens();
    boolean used = successful || tokenUsage != null;
    usageLedger.add(
        passage.key(), passage.group(), passage.askedModel(), used ? input : 0, used ? output : 0);
  }

  /**
   * Reports that a call of an upstream is over.
   *
   * @param error as in {@link Event.Called}
   */
  void called(Passage passage, @Nullable TokenUsage tokenUsage, @Nullable String error, long now) {
    passage.trail().called(tokenUsage, error);
    TicketSettlement ticketSettlement = passage.settlement();
    ModelOperation modelOperation = passage.operation();
    if (modelOperation == null || ticketSettlement == null || ticketSettlement.upstream() == null) {
      return;
    }
    eventSink.publish(
        new Event.Called(
            now,
            passage.endpoint().path(),
            ticketSettlement.upstream().spec().id(),
            passage.askedModel(),
            passage.endpoint().spec().reading().dialect(),
            modelOperation,
            ticketSettlement.lastedNanos(now),
            tokenUsage,
            error));
  }

  /** Learns from a request that was answered to its end and without an error. */
  void answered(Passage passage, @Nullable TokenUsage tokenUsage, long now) {
    RequestContent requestContent = passage.content();
    if (requestContent == null || tokenUsage == null) {
      return;
    }
    costLearner.answered(requestContent, passage.key(), tokenUsage);
    eventSink.publish(
        new Event.Estimated(
            now,
            passage.endpoint().path(),
            requestContent.model(),
            passage.cost().inputTokens(),
            tokenUsage.inputTokens()));
  }
}
