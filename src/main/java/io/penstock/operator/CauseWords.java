package io.penstock.operator;

import io.penstock.cost.LimitMeasure;
import io.penstock.explain.BindingLimit;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Words for operators about what holds a request: what it is, and how the request goes sooner.
 *
 * @param outage of the store of shared limits, or null while there is none
 */
record CauseWords(ClockReading now, SharingView.@Nullable Outage outage) {
  private static final String REDIS =
      "Bring Redis back; penstock.redis.on-outage says what happens until then.";

  /**
   * Returns what is known of a cause, as a clause.
   *
   * @param lookedNanos the instant as of which it held
   */
  String detail(BindingLimit bindingLimit, long lookedNanos) {
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
      case SHARE ->
          away(lookedNanos).orElse("this instance has used up its share of the limit" + owner);
      case SETTLING ->
          away(lookedNanos)
              .orElse(
                  "Redis may have lost data: no share of the limit"
                      + owner
                      + " grows until all instances have stated theirs");
      case LISTING ->
          away(lookedNanos).orElse("this instance has just come, and not all others know it yet");
      case LIMIT_UNAVAILABLE ->
          away(lookedNanos)
              .orElse("a limit" + owner + " is shared with others, and none is heard of");
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
      case PACE ->
          "the limit"
              + measure(bindingLimit)
              + owner
              + " has room, and spreads over its window what it admits";
      case BODY -> "its client has not sent the whole body yet";
      case BODY_MEMORY -> "other bodies take the memory that its body needs";
      case INPUT_COUNT -> "the provider is asked how many tokens its input has";
      case DENIAL_RECHECK ->
          "the counts of other instances are read first: its key was refused before, or has not"
              + " been used here";
      case SOCKET_TURN -> "an earlier call of its WebSocket has not ended";
      case CONNECTION -> "a connection is being made to upstream " + bindingLimit.name();
    };
  }

  /**
   * Returns how to let the request go sooner, as a sentence; "Nothing" says that it goes itself.
   */
  String advice(BindingLimit bindingLimit, String path, long lookedNanos) {
    String name = bindingLimit.name();
    return switch (bindingLimit.cause()) {
      case ENDPOINT_PAUSED ->
          "Resume it, in the console or with penstock resume --endpoint " + path + ".";
      case QUEUE_FULL -> "Raise max_queue_size of the endpoint, or send fewer requests at a time.";
      case LIMIT -> raise(bindingLimit);
      case PACE ->
          "Nothing: its turn comes. A larger burst_seconds of the upstream lets more go at"
              + " once.";
      case SHARE ->
          away(lookedNanos).isPresent()
              ? REDIS
              : "Nothing: other instances have the rest, and leave what they do not need.";
      case SETTLING ->
          away(lookedNanos).isPresent()
              ? REDIS
              : "Nothing, unless GET /sharing names an instance that is gone for good: forget it.";
      case LISTING ->
          away(lookedNanos).isPresent() ? REDIS : "Nothing: the next beats of the others list it.";
      case LIMIT_UNAVAILABLE -> REDIS;
      case UPSTREAM_TAKEN_OUT -> "Resume it: penstock resume --upstream " + name + ".";
      case UPSTREAM_PAUSED ->
          "Add another upstream, or end the pause with POST /upstreams/retry?id=" + name + ".";
      case UPSTREAM_UNHEALTHY ->
          "Look at its last error with penstock status; let it be tried at once with POST"
              + " /upstreams/retry?id="
              + name
              + ".";
      case CACHE_WARMUP ->
          "Nothing: it goes once the answer to the first one begins; cache_warmup bounds the time.";
      case NO_UPSTREAM_ENABLED ->
          "Set what the upstreams of its model lack; penstock status names it.";
      case KEPT_FOR_ANOTHER ->
          "Nothing: its turn comes after the request that was passed too often.";
      case OTHERS_FIRST -> "Nothing: its turn comes.";
      case BODY ->
          "Look at the client and its network; penstock.body-timeout and penstock.body.deadline"
              + " bound the time.";
      case BODY_MEMORY ->
          "Raise penstock.max-buffered-bytes, or the share of one client,"
              + " penstock.body.tenant-share.";
      case INPUT_COUNT -> "Nothing: it goes on with an estimate when the provider takes too long.";
      case DENIAL_RECHECK ->
          "Nothing: it is decided within 50 ms, or within 300 ms after a refusal of a key with"
              + " strict_after_denial.";
      case SOCKET_TURN ->
          "Nothing: its turn comes. A client can open more WebSockets for calls at the same time.";
      case CONNECTION ->
          "Look at the network to the upstream; its connect_timeout bounds the time.";
    };
  }

  private static String raise(BindingLimit bindingLimit) {
    LimitMeasure measure = bindingLimit.measure();
    String named = measure == null ? "" : lower(measure);
    return "Raise the limit"
        + measure(bindingLimit)
        + (bindingLimit.kind() == LimitId.Kind.UPSTREAM
            ? " if the provider allows more, or add another upstream."
            : ".")
        + (named.contains("tokens")
            ? " Clients can ask for fewer tokens of output, which are reserved."
            : "");
  }

  private static String measure(BindingLimit bindingLimit) {
    LimitMeasure measure = bindingLimit.measure();
    return measure == null ? "" : " of " + lower(measure).replace('_', ' ');
  }

  /** Returns whether a cause ends with the next answer of the store of shared limits. */
  static boolean needsStore(BindingLimit.Cause cause) {
    return switch (cause) {
      case SHARE, SETTLING, LISTING, LIMIT_UNAVAILABLE -> true;
      default -> false;
    };
  }

  /** Returns that the store of shared limits is away, if it was at an instant. */
  private Optional<String> away(long lookedNanos) {
    return outage == null || outage.sinceNanos() > lookedNanos
        ? Optional.empty()
        : Optional.of(
            "Redis has been away since %s (penstock.redis.on-outage=%s)"
                .formatted(now.time(outage.sinceNanos()), outage.policy().text()));
  }

  private static String limited(BindingLimit bindingLimit, String owner) {
    if (bindingLimit.measure() == LimitMeasure.CONCURRENCY) {
      return "as many" + owner + " run as may, until one of them ends";
    }
    return "the limit"
        + measure(bindingLimit)
        + owner
        + " has too little room"
        + (bindingLimit.untilNanos() == Ticker.NEVER ? ", until somebody gives back" : "");
  }

  private static String lower(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }
}
