package io.penstock.load;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a hostile tenant does in {@code 13-two-tenants}, one after the other. */
enum Attack {
  LARGE_BODIES("bodies of 64 KiB to 8 MiB, more than the key's share of the memory for them"),
  BROKEN_BODIES("JSON that ends early or nests 10,000 deep, false lengths, chunks and gzip"),
  REPEATED_MEMBERS("JSON in which model, maximum or messages are there twice"),
  INVALID_UTF8("bodies with bytes that are no UTF-8, in names and in values"),
  MAXIMUM_ABOVE_LIMITS("stated maxima of output above the limits of key and upstream"),
  ABORTED_STREAMS("streams that are left after finish_reason and before the usage"),
  UNREAD_ANSWERS("streams of 16 MiB of which nothing is read"),
  PARKED_REQUESTS("thousands of requests that wait, more than the queue takes"),
  IGNORED_UPGRADES("WebSocket upgrades that the upstream answers with 200"),
  POISONED_PROMPTS("prompts that make the upstream answer 500"),
  WRONG_KEYS("keys that are not known"),
  COORDINATION_OBJECTS("events, semaphores, watchdogs and barriers as many and large as may be"),
  QUESTIONS("questions about a key's limits and about requests"),
  SLOW_UPLOADS("bodies of which hardly a byte comes"),
  MANY_CONNECTIONS("connections that say nothing, or half a request"),
  HEADER_FLOODS("heads with thousands of fields, and with lines of 64 KiB"),
  POISONED_ESTIMATES("short prompts with a provider's tool, whose answers state 2,000 tokens"),
  HIDDEN_INPUT("requests that continue from earlier answers, with 2,000 tokens in no body"),
  MANY_LANES("requests that wait, each for a model with another name"),
  LARGE_WAITING_BODIES("bodies of 8 MiB that wait for the key's own limit"),
  FILLED_QUEUE("thousands of requests that wait, in a queue with the order fifo"),
  REFUSED_WARMUPS("prompts with new beginnings, refused while the key has no slot"),
  LEFT_RETRIES("requests that are sent again after a 429, while their client leaves");

  private final String does;

  Attack(String does) {
    this.does = does;
  }

  /** Returns its name, as tables show it and as it is asked for. */
  String shown() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns what the hostile tenant does, in words. */
  String does() {
    return does;
  }

  /**
   * Returns the secret of its key. Each attack has a key of its own, so that limits which one has
   * used up do not disarm the next.
   */
  String secret() {
    return "load-test-hostile-" + shown();
  }

  /** Returns the path of the endpoint at which both tenants send their requests. */
  String endpoint() {
    return this == FILLED_QUEUE ? HostileRequests.FIFO : HostileRequests.FAIR;
  }

  /** Returns how many attempts a second it makes at most; those of megabytes are fewer. */
  int perSecond(int rate) {
    return switch (this) {
      case LARGE_BODIES, LARGE_WAITING_BODIES -> Math.max(1, rate / 20);
      case HEADER_FLOODS -> Math.max(1, rate / 4);
      default -> rate;
    };
  }

  /** Returns those that are named, separated by commas; all where the text is empty. */
  static List<Attack> named(String names) {
    return names.isEmpty()
        ? List.of(values())
        : Arrays.stream(names.split(",", -1)).map(String::strip).map(Attack::of).toList();
  }

  /** Returns the attack that a table shows by this name. */
  static Attack of(String shown) {
    return valueOf(shown.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
