package io.penstock.operator;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.WaitForecast;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.PastTicket;
import io.penstock.explain.QueueSnapshot;
import io.penstock.explain.WaitExplanation;
import io.penstock.explain.WaitingTicket;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Refusal;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts what is known of tickets to their JSON forms. Instants are RFC 3339; unknown or
 * inapplicable values are null.
 */
final class TicketWords {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ClockReading now;
  private final SharingView.@Nullable Outage outage;

  /**
   * Creates a converter that describes tickets as of the given moment.
   *
   * @param outage of the store of shared limits, or null while there is none
   */
  TicketWords(ClockReading now, SharingView.@Nullable Outage outage) {
    this.now = now;
    this.outage = outage;
  }

  /** Returns a waiting ticket in the form of the list of tickets. */
  ObjectNode waiting(QueuePlace each) {
    ParkedTicket ticket = each.ticket();
    ObjectNode view =
        OperatorJson.object()
            .put("id", ticket.order())
            .put("request_id", ticket.origin().requestId())
            .put("position", each.position() == 0 ? null : each.position());
    addRequest(view, ticket.cost(), ticket.origin(), ticket.model());
    view.put("waited_ms", millis(now.nanos() - ticket.arrivedNanos()));
    return addExpected(view, each);
  }

  /** Returns what is known of a ticket that waits. */
  ObjectNode explained(WaitingTicket waitingTicket) {
    QueuePlace queuePlace = waitingTicket.place();
    ParkedTicket ticket = queuePlace.ticket();
    ObjectNode view =
        OperatorJson.object()
            .put("id", ticket.order())
            .put("request_id", ticket.origin().requestId())
            .put("path", ticket.path())
            .put("state", "waiting")
            .put("position", queuePlace.position() == 0 ? null : queuePlace.position());
    addRequest(view, ticket.cost(), ticket.origin(), ticket.model());
    view.put("arrived_at", now.text(ticket.arrivedNanos()))
        .put("waited_ms", millis(now.nanos() - ticket.arrivedNanos()));
    addExpected(view, queuePlace).putNull("upstream").putNull("refusal");
    return addReasons(view, waitingTicket.explanation(), waitingTicket.nanos());
  }

  /**
   * Returns what is known of a ticket that is past.
   *
   * @param more what to add to the detail of its refusal, for operators only; may be empty
   */
  ObjectNode explained(PastTicket past, String more) {
    PastTicket.Asked asked = past.asked();
    ObjectNode view =
        OperatorJson.object()
            .put("id", past.number())
            .put("request_id", past.origin().requestId())
            .put("path", asked.endpoint())
            .put("state", lower(past.fate()))
            .putNull("position");
    addRequest(view, asked.cost(), past.origin(), asked.model());
    view.put("arrived_at", now.text(past.arrivedNanos()))
        .put("waited_ms", millis(past.waitedNanos()))
        .putNull("expected_ms")
        .put("bound", false)
        .putNull("deadline")
        .put("upstream", past.upstream())
        .set("refusal", refusal(past.refusal(), more));
    return addReasons(view, past.explanation(), past.decidedNanos());
  }

  private static void addRequest(
      ObjectNode view, Cost cost, TicketRequest.Origin origin, @Nullable String model) {
    view.putObject("cost")
        .put("requests", 1)
        .put("input_tokens", cost.inputTokens())
        .put("output_tokens", cost.outputTokens());
    view.put("key", origin.key()).put("model", model);
  }

  private ObjectNode addExpected(ObjectNode view, QueuePlace queuePlace) {
    WaitForecast expected = queuePlace.expected();
    return view.put("expected_ms", expected.known() ? millis(expected.waitNanos()) : null)
        .put("bound", expected.bound())
        .put("deadline", ifEver(queuePlace.ticket().deadlineNanos()));
  }

  private ObjectNode addReasons(ObjectNode view, WaitExplanation explanation, long lookedNanos) {
    view.set("binds", binding(explanation.binding(), lookedNanos));
    ArrayNode limits = view.putArray("limits");
    explanation.limits().forEach(each -> limits.add(limit(each, lookedNanos)));
    return view;
  }

  private static @Nullable ObjectNode refusal(@Nullable Refusal refusal, String more) {
    if (refusal == null) {
      return null;
    }
    OptionalLong retry = refusal.retryAfterMillis();
    return OperatorJson.object()
        .put("reason", refusal.reason().code())
        .put("status", refusal.reason().status())
        .put("detail", refusal.detail() + more)
        .put("retry_after_ms", retry.isPresent() ? retry.getAsLong() : null);
  }

  private @Nullable ObjectNode binding(@Nullable BindingLimit bindingLimit, long lookedNanos) {
    return bindingLimit == null
        ? null
        : OperatorJson.object()
            .put("what", lower(bindingLimit.cause()))
            .put("kind", bindingLimit.kind() == null ? null : lower(bindingLimit.kind()))
            .put("name", bindingLimit.name())
            .put("measure", bindingLimit.measure() == null ? null : lower(bindingLimit.measure()))
            .put("until", ifEver(bindingLimit.untilNanos()))
            .put("detail", sentence(bindingLimit, lookedNanos));
  }

  private ObjectNode limit(WaitExplanation.Considered limit, long lookedNanos) {
    boolean admits = limit.untilNanos() <= lookedNanos;
    ObjectNode view =
        OperatorJson.object()
            .put("kind", lower(limit.owner().kind()))
            .put("name", limit.owner().name())
            .put("pool", limit.owner().pool())
            .put("measure", lower(limit.measure()))
            .put("window_ms", UpstreamsHandler.windowMillis(limit.spec()))
            .put("limit", limit.capacity());
    if (limit.spec() instanceof LimitSpec.TrailingWindow window
        && window.capacity() > limit.capacity()) {
      view.put("configured", window.capacity());
    }
    return view.put("used", limit.use().here())
        .put("used_elsewhere", limit.use().elsewhere())
        .put("reserved", limit.use().reserved())
        .put("needs", limit.needs())
        .put("given", limit.alreadyCharged())
        .put("admits", admits)
        .put("until", admits ? null : ifEver(limit.untilNanos()));
  }

  /** Returns what is known of a reason for waiting, in one sentence. */
  private String sentence(BindingLimit bindingLimit, long lookedNanos) {
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
      case SLICE ->
          away(lookedNanos)
              .orElse(
                  "the part of this instance" + owner + " is used up: the next round brings more");
      case LIMIT_UNAVAILABLE ->
          away(lookedNanos)
              .orElse("a limit" + owner + " is shared with others, and none is heard of");
      case LIMIT_RECOVERING ->
          "Redis has lost data, and an instance that is gone may have used up a limit" + owner;
      case UPSTREAM_PAUSED -> "the provider" + owner + " said that it has had enough";
      case UPSTREAM_TAKEN_OUT ->
          bindingLimit.kind() == null
              ? "its upstream is paused until somebody resumes it"
              : lower(bindingLimit.kind())
                  + " "
                  + bindingLimit.name()
                  + " is paused until somebody resumes it";
      case UPSTREAM_UNHEALTHY -> "the provider" + owner + " failed, and is tried again later";
      case CACHE_WARMUP ->
          "a request with the same beginning was sent first, so that the provider's cache has it";
      case NO_UPSTREAM_ENABLED -> "no upstream of its model is enabled";
      case KEPT_FOR_ANOTHER -> "what frees" + owner + " is kept for one that was passed too often";
      case OTHERS_FIRST -> "it fits, and others are to go before it";
    };
  }

  /** Returns whether a cause ends with the next answer of the store of shared limits. */
  static boolean needsStore(BindingLimit.Cause cause) {
    return cause == BindingLimit.Cause.SLICE || cause == BindingLimit.Cause.LIMIT_UNAVAILABLE;
  }

  /**
   * Returns why tickets wait: each reason once, with the number of tickets and the last instant at
   * which it ends for one of them. The most frequent reason comes first.
   */
  ArrayNode reasons(QueueSnapshot queue) {
    Map<String, ObjectNode> byDetail = new LinkedHashMap<>();
    for (WaitingTicket each : queue.tickets()) {
      BindingLimit binds = each.explanation().binding();
      BindingLimit known =
          binds == null ? BindingLimit.of(BindingLimit.Cause.OTHERS_FIRST, Ticker.NEVER) : binds;
      ObjectNode reason = Objects.requireNonNull(binding(known, each.nanos()));
      String until = reason.path("until").asString("");
      ObjectNode group =
          byDetail.computeIfAbsent(
              reason.path("detail").asString(), detail -> reason.put("count", 0));
      group.put("count", group.path("count").asInt() + 1);
      if (until.compareTo(group.path("until").asString("")) > 0) {
        group.put("until", until);
      }
    }
    ArrayNode reasons = OperatorJson.object().arrayNode();
    byDetail.values().stream()
        .sorted(Comparator.comparingInt((ObjectNode each) -> each.path("count").asInt()).reversed())
        .forEach(reasons::add);
    return reasons;
  }

  /** Returns that the store of shared limits is away, if it was at an instant. */
  private Optional<String> away(long lookedNanos) {
    return outage == null || outage.sinceNanos() > lookedNanos
        ? Optional.empty()
        : Optional.of(
            "Redis has been away since %s (penstock.redis.on-outage=%s)"
                .formatted(now.time(outage.sinceNanos()), outage.policy().text()));
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
