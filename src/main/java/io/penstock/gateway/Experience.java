package io.penstock.gateway;

import io.penstock.cost.Content;
import io.penstock.cost.Expectations;
import io.penstock.cost.Usage;
import io.penstock.event.Event;
import io.penstock.event.Events;
import org.jspecify.annotations.Nullable;

/** Hands on what answers teach of requests to come. Safe from any thread. */
final class Experience {
  private final Expectations expectations;
  private final Events events;
  private final Ties ties;

  Experience(Expectations expectations, Events events, Ties ties) {
    this.ties = ties;
    this.expectations = expectations;
    this.events = events;
  }

  /** An upstream gave something of that id. */
  void gave(String upstream, String id) {
    ties.gave(upstream, id);
  }

  /** A request was answered, to its end and without an error. */
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
