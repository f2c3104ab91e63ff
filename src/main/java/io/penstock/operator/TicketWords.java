package io.penstock.operator;

import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.WaitForecast;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.PastTicket;
import io.penstock.explain.WaitExplanation;
import io.penstock.explain.WaitingTicket;
import io.penstock.limit.LimitSpec;
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

  private final ClockReading now;

  /** Creates a converter that describes tickets as of the given moment. */
  TicketWords(ClockReading now) {
    this.now = now;
  }

  TicketView.Waiting waiting(QueuePlace each) {
    ParkedTicket ticket = each.ticket();
    return new TicketView.Waiting(
        ticket.order(),
        ticket.origin().requestId(),
        each.position(),
        CostView.of(ticket.cost()),
        ticket.origin().key(),
        ticket.model(),
        millis(now.nanos() - ticket.arrivedNanos()),
        expected(each),
        each.expected().bound(),
        ifEver(ticket.deadlineNanos()));
  }

  Explained explained(WaitingTicket waitingTicket) {
    QueuePlace queuePlace = waitingTicket.place();
    ParkedTicket ticket = queuePlace.ticket();
    WaitExplanation waitExplanation = waitingTicket.explanation();
    return new Explained(
        ticket.order(),
        ticket.origin().requestId(),
        ticket.path(),
        "waiting",
        queuePlace.position() == 0 ? null : queuePlace.position(),
        CostView.of(ticket.cost()),
        ticket.origin().key(),
        ticket.model(),
        now.text(ticket.arrivedNanos()),
        millis(now.nanos() - ticket.arrivedNanos()),
        expected(queuePlace),
        queuePlace.expected().bound(),
        ifEver(ticket.deadlineNanos()),
        null,
        null,
        binding(waitExplanation.binding()),
        limits(waitExplanation, waitingTicket.nanos()));
  }

  /**
   * Returns what is known of a ticket that is past.
   *
   * @param more what to add to the detail of its refusal, for operators only; may be empty
   */
  Explained explained(PastTicket past, String more) {
    WaitExplanation waitExplanation = past.explanation();
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
        false,
        null,
        past.upstream(),
        refusal == null ? null : refusal(refusal, more),
        binding(waitExplanation.binding()),
        limits(waitExplanation, past.decidedNanos()));
  }

  private static RefusalView refusal(Refusal refusal, String more) {
    OptionalLong retry = refusal.retryAfterMillis();
    return new RefusalView(
        refusal.reason().code(),
        refusal.reason().status(),
        refusal.detail() + more,
        retry.isPresent() ? retry.getAsLong() : null);
  }

  private @Nullable BindingView binding(@Nullable BindingLimit bindingLimit) {
    return bindingLimit == null
        ? null
        : new BindingView(
            lower(bindingLimit.cause()),
            bindingLimit.kind() == null ? null : lower(bindingLimit.kind()),
            bindingLimit.name(),
            bindingLimit.measure() == null ? null : lower(bindingLimit.measure()),
            ifEver(bindingLimit.untilNanos()),
            sentence(bindingLimit));
  }

  private List<LimitView> limits(WaitExplanation waitExplanation, long lookedNanos) {
    return waitExplanation.limits().stream().map(each -> limit(each, lookedNanos)).toList();
  }

  private LimitView limit(WaitExplanation.Considered limit, long lookedNanos) {
    boolean admits = limit.untilNanos() <= lookedNanos;
    return new LimitView(
        lower(limit.kind()),
        limit.name(),
        limit.pool(),
        lower(limit.measure()),
        UpstreamsHandler.windowMillis(limit.spec()),
        limit.capacity(),
        lowered(limit),
        limit.used(),
        limit.usedElsewhere(),
        limit.reserved(),
        limit.needs(),
        limit.alreadyCharged(),
        admits,
        admits ? null : ifEver(limit.untilNanos()));
  }

  private static @Nullable Long lowered(WaitExplanation.Considered limit) {
    return limit.spec() instanceof LimitSpec.TrailingWindow window
            && window.capacity() > limit.capacity()
        ? window.capacity()
        : null;
  }

  private String sentence(BindingLimit bindingLimit) {
    String owner =
        bindingLimit.kind() == null
            ? ""
            : " of " + lower(bindingLimit.kind()) + " " + bindingLimit.name();
    return switch (bindingLimit.cause()) {
      case ENDPOINT_PAUSED ->
          bindingLimit.untilNanos() == Ticker.NEVER
              ? "the endpoint is paused until somebody resumes it"
              : "the endpoint was paused";
      case QUEUE_FULL -> "the queue is full: it waits for a place there";
      case LIMIT -> limited(bindingLimit, owner);
      case SLICE -> "the part of this instance" + owner + " is used up: the next round brings more";
      case LIMIT_UNAVAILABLE -> "a limit" + owner + " is shared with others, and none is heard of";
      case LIMIT_RECOVERING ->
          "Redis has lost data, and an instance that is gone may have used up a limit" + owner;
      case UPSTREAM_PAUSED -> "the provider" + owner + " said that it has had enough";
      case UPSTREAM_UNHEALTHY -> "the provider" + owner + " failed, and is tried again later";
      case CACHE_WARMUP ->
          "a request with the same beginning was sent first, so that the provider's cache has it";
      case NO_UPSTREAM_ENABLED -> "no upstream of its model is enabled";
      case KEPT_FOR_ANOTHER -> "what frees" + owner + " is kept for one that was passed too often";
      case OTHERS_FIRST -> "it fits, and others are to go before it";
    };
  }

  private String limited(BindingLimit bindingLimit, String owner) {
    LimitMeasure limitMeasure = bindingLimit.measure();
    if (limitMeasure == LimitMeasure.CONCURRENCY) {
      return "as many" + owner + " run as may, until one of them ends";
    }
    String what = limitMeasure == null ? "" : " of " + lower(limitMeasure).replace('_', ' ');
    return "the limit"
        + what
        + owner
        + " has too little room"
        + (bindingLimit.untilNanos() == Ticker.NEVER ? ", until somebody gives back" : "");
  }

  private static @Nullable Long expected(QueuePlace queuePlace) {
    WaitForecast expected = queuePlace.expected();
    return expected.known() ? millis(expected.waitNanos()) : null;
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
