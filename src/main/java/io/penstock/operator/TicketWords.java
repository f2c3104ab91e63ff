package io.penstock.operator;

import io.penstock.cost.Measure;
import io.penstock.endpoint.Binding;
import io.penstock.endpoint.Explanation;
import io.penstock.endpoint.Look;
import io.penstock.endpoint.Past;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Place;
import io.penstock.operator.TicketView.BindingView;
import io.penstock.operator.TicketView.CostView;
import io.penstock.operator.TicketView.Explained;
import io.penstock.operator.TicketView.LimitView;
import io.penstock.operator.TicketView.RefusalView;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Converts what is known of tickets to their JSON forms. */
final class TicketWords {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Moment now;

  /** Creates a converter that describes tickets as of the given moment. */
  TicketWords(Moment now) {
    this.now = now;
  }

  TicketView.Waiting waiting(Place each) {
    Pending ticket = each.ticket();
    return new TicketView.Waiting(
        ticket.order(),
        ticket.origin().requestId(),
        each.position(),
        CostView.of(ticket.cost()),
        ticket.origin().key(),
        ticket.model(),
        millis(now.nanos() - ticket.arrivedNanos()),
        expected(each),
        ifEver(ticket.deadlineNanos()));
  }

  Explained explained(Look look) {
    Place place = look.place();
    Pending ticket = place.ticket();
    Explanation explanation = look.explanation();
    return new Explained(
        ticket.order(),
        ticket.origin().requestId(),
        ticket.endpoint().path(),
        "waiting",
        place.position() == 0 ? null : place.position(),
        CostView.of(ticket.cost()),
        ticket.origin().key(),
        ticket.model(),
        now.text(ticket.arrivedNanos()),
        millis(now.nanos() - ticket.arrivedNanos()),
        expected(place),
        ifEver(ticket.deadlineNanos()),
        null,
        null,
        binding(explanation.binds()),
        limits(explanation, look.nanos()));
  }

  Explained explained(Past past) {
    Explanation explanation = past.explanation();
    Refusal refusal = past.refusal();
    return new Explained(
        past.number(),
        past.origin().requestId(),
        past.endpoint(),
        lower(past.fate()),
        null,
        CostView.of(past.cost()),
        past.origin().key(),
        past.model(),
        now.text(past.arrivedNanos()),
        millis(past.waitedNanos()),
        null,
        null,
        past.upstream(),
        refusal == null ? null : refusal(refusal),
        binding(explanation.binds()),
        limits(explanation, past.decidedNanos()));
  }

  private static RefusalView refusal(Refusal refusal) {
    OptionalLong retry = refusal.retryAfterMillis();
    return new RefusalView(
        refusal.reason().code(),
        refusal.reason().status(),
        refusal.detail(),
        retry.isPresent() ? retry.getAsLong() : null);
  }

  private @Nullable BindingView binding(@Nullable Binding binding) {
    return binding == null
        ? null
        : new BindingView(
            lower(binding.what()),
            binding.kind() == null ? null : lower(binding.kind()),
            binding.name(),
            binding.measure() == null ? null : lower(binding.measure()),
            ifEver(binding.untilNanos()),
            sentence(binding));
  }

  private List<LimitView> limits(Explanation explanation, long lookedNanos) {
    return explanation.limits().stream().map(each -> limit(each, lookedNanos)).toList();
  }

  private LimitView limit(Explanation.Considered limit, long lookedNanos) {
    boolean admits = limit.untilNanos() <= lookedNanos;
    return new LimitView(
        lower(limit.kind()),
        limit.name(),
        limit.pool(),
        lower(limit.measure()),
        UpstreamsHandler.windowMillis(limit.spec()),
        limit.capacity(),
        limit.used(),
        limit.usedElsewhere(),
        limit.reserved(),
        limit.needs(),
        limit.given(),
        admits,
        admits ? null : ifEver(limit.untilNanos()));
  }

  private String sentence(Binding binding) {
    String whose =
        binding.kind() == null ? "" : " of " + lower(binding.kind()) + " " + binding.name();
    return switch (binding.what()) {
      case ENDPOINT_PAUSED ->
          binding.untilNanos() == Ticker.NEVER
              ? "the endpoint is paused until somebody resumes it"
              : "the endpoint was paused";
      case QUEUE_FULL -> "the queue is full: it waits for a place there";
      case LIMIT -> limited(binding, whose);
      case SLICE -> "the part of this instance" + whose + " is used up: the next round brings more";
      case LIMIT_UNAVAILABLE -> "a limit" + whose + " is shared with others, and none is heard of";
      case LIMIT_RECOVERING ->
          "Redis has lost data, and an instance that is gone may have used up a limit" + whose;
      case UPSTREAM_PAUSED -> "the provider" + whose + " said that it has had enough";
      case UPSTREAM_UNHEALTHY -> "the provider" + whose + " failed, and is tried again later";
      case KEPT_FOR_ANOTHER -> "what frees" + whose + " is kept for one that was passed too often";
      case OTHERS_FIRST -> "it fits, and others are to go before it";
    };
  }

  private String limited(Binding binding, String whose) {
    Measure measure = binding.measure();
    if (measure == Measure.CONCURRENCY) {
      return "as many" + whose + " run as may, until one of them ends";
    }
    String what = measure == null ? "" : " of " + lower(measure).replace('_', ' ');
    return "the limit"
        + what
        + whose
        + " has too little room"
        + (binding.untilNanos() == Ticker.NEVER ? ", until somebody gives back" : "");
  }

  private static @Nullable Long expected(Place place) {
    return place.expectedNanos() == Ticker.NEVER ? null : millis(place.expectedNanos());
  }

  private @Nullable String ifEver(long instantNanos) {
    return instantNanos == Ticker.NEVER ? null : now.text(instantNanos);
  }

  private static long millis(long nanos) {
    return Math.max(0, nanos) / NANOS_PER_MILLI;
  }

  private static String lower(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }
}
