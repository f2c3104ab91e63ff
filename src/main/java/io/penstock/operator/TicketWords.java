package io.penstock.operator;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.WaitForecast;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.HeldRequest;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
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
  private final CauseWords causes;

  /**
   * Creates a converter that describes tickets as of the given moment.
   *
   * @param outage of the store of shared limits, or null while there is none
   */
  TicketWords(ClockReading now, SharingView.@Nullable Outage outage) {
    this.now = now;
    this.causes = new CauseWords(now, outage);
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

  /** Returns a request that is held outside of the queue in the form of the list of tickets. */
  ObjectNode waiting(HeldRequest held) {
    ObjectNode view = OperatorJson.object().putNull("id");
    view.put("request_id", held.origin().requestId()).putNull("position");
    addRequest(view, held.asked().cost(), held.origin(), held.asked().model());
    return addUnknown(view.put("waited_ms", millis(now.nanos() - held.sinceNanos())));
  }

  /** Returns what is known of a request that is held outside of the queue. */
  ObjectNode explained(HeldRequest held) {
    ObjectNode view = OperatorJson.object().putNull("id");
    view.put("request_id", held.origin().requestId())
        .put("path", held.asked().endpoint())
        .put("state", "waiting")
        .putNull("position");
    addRequest(view, held.asked().cost(), held.origin(), held.asked().model());
    view.put("arrived_at", now.text(held.sinceNanos()))
        .put("waited_ms", millis(now.nanos() - held.sinceNanos()));
    addUnknown(view).putNull("upstream").putNull("refusal");
    return addReasons(view, new WaitExplanation(List.of(), held.by().get()), now.nanos());
  }

  private static ObjectNode addUnknown(ObjectNode view) {
    return view.putNull("expected_ms").put("bound", false).putNull("deadline");
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
        .put("waited_ms", millis(past.waitedNanos()));
    addUnknown(view).put("upstream", past.upstream()).set("refusal", refusal(past.refusal(), more));
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
    String path = view.path("path").asString();
    view.set("binds", binding(explanation.binding(), path, lookedNanos));
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

  private @Nullable ObjectNode binding(
      @Nullable BindingLimit bindingLimit, String path, long lookedNanos) {
    return bindingLimit == null
        ? null
        : OperatorJson.object()
            .put("what", lower(bindingLimit.cause()))
            .put("kind", bindingLimit.kind() == null ? null : lower(bindingLimit.kind()))
            .put("name", bindingLimit.name())
            .put("measure", bindingLimit.measure() == null ? null : lower(bindingLimit.measure()))
            .put("until", ifEver(bindingLimit.untilNanos()))
            .put("detail", causes.detail(bindingLimit, lookedNanos))
            .put("advice", causes.advice(bindingLimit, path, lookedNanos));
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

  /**
   * Returns why requests wait at the endpoint of a path: each reason once, with their number and
   * the last instant at which it ends for one of them. The most frequent reason comes first.
   */
  ArrayNode reasons(String path, QueueSnapshot queue, List<HeldRequest> held) {
    Map<String, ObjectNode> byDetail = new LinkedHashMap<>();
    Stream<@Nullable BindingLimit> all =
        Stream.concat(
            queue.tickets().stream().map(each -> each.explanation().binding()),
            held.stream().map(each -> each.by().get()));
    for (BindingLimit binds : all.toList()) {
      BindingLimit known =
          binds == null ? BindingLimit.of(BindingLimit.Cause.OTHERS_FIRST, Ticker.NEVER) : binds;
      ObjectNode reason = Objects.requireNonNull(binding(known, path, queue.nanos()));
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
