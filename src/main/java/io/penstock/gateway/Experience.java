package io.penstock.gateway;

import io.penstock.cost.Content;
import io.penstock.cost.Expectations;
import io.penstock.cost.Operation;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Settlement;
import io.penstock.event.Event;
import io.penstock.event.Events;
import io.penstock.quota.Ledger;
import org.jspecify.annotations.Nullable;

/** Passes on what answers teach about later requests. Safe from any thread. */
final class Experience {
  private final Expectations expectations;
  private final Events events;
  private final Ties ties;
  private final Ledger ledger;

  Experience(Expectations expectations, Events events, Ties ties, Ledger ledger) {
    this.ledger = ledger;
    this.ties = ties;
    this.expectations = expectations;
    this.events = events;
  }

  /** Remembers which upstream gave an id that later requests may refer to. */
  void gave(String upstream, String id) {
    ties.gave(upstream, id);
  }

  /** Counts the usage of a request that got an answer, or a part of one; called once for each. */
  void settled(Passage passage, @Nullable Usage usage, long outputTokens, boolean successful) {
    long input = usage == null ? passage.cost().inputTokens() : usage.inputTokens();
    long output = usage == null ? outputTokens : usage.outputTokens();
    boolean used = successful || usage != null;
    ledger.add(
        passage.key(), passage.group(), passage.askedModel(), used ? input : 0, used ? output : 0);
  }

  /**
   * Reports that a call of an upstream is over.
   *
   * @param error as in {@link Event.Called}
   */
  void called(Passage passage, @Nullable Usage usage, @Nullable String error, long now) {
    passage.trail().called(usage, error);
    Settlement settlement = passage.settlement();
    Operation operation = passage.operation();
    if (operation == null || settlement == null || settlement.upstream() == null) {
      return;
    }
    events.publish(
        new Event.Called(
            now,
            passage.endpoint().path(),
            settlement.upstream().spec().id(),
            passage.askedModel(),
            passage.endpoint().spec().reading().dialect(),
            operation,
            settlement.lastedNanos(now),
            usage,
            error));
  }

  /** Learns from a request that was answered to its end and without an error. */
  void answered(Passage passage, @Nullable Usage usage, long now) {
    Content content = passage.content();
    if (content == null || usage == null) {
      return;
    }
    expectations.answered(content, passage.key(), usage);
    events.publish(
        new Event.Estimated(
            now,
            passage.endpoint().path(),
            content.model(),
            passage.cost().inputTokens(),
            usage.inputTokens()));
  }
}
