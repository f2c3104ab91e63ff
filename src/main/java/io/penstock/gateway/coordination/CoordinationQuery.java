package io.penstock.gateway.coordination;

import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectOperation;
import io.penstock.gateway.request.PrintableText;
import java.math.BigInteger;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of the coordination API. Names are case-insensitive, as they are in bouncer; a
 * parameter that is not stated has a default, and those that an action does not need are not
 * checked.
 */
final class CoordinationQuery {
  /** The names of all parameters. */
  static final Set<String> NAMES =
      Set.of("size", "interval", "maxwait", "key", "expires", "message", "amount", "value", "id");

  private static final long MILLI = 1_000_000L;
  private static final long MOST_MILLIS = ObjectOperation.MOST_NANOS / MILLI;
  private static final int MOST_KEY = 256;
  private static final int MOST_MESSAGE = 8_192;
  private static final int MOST_ID = 1_024;
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,19}");

  /** Thrown for a query that cannot be read. */
  static final class BadQuery extends Exception {
    private static final long serialVersionUID = 1;

    BadQuery(String why) {
      super(why, null, false, false);
    }

    /** Returns the reason in one line. */
    String why() {
      return String.valueOf(getMessage());
    }
  }

  private final Map<String, String> parameters = new HashMap<>();

  /** Reads a query. */
  CoordinationQuery(@Nullable String rawQuery) throws BadQuery {
    if (rawQuery == null) {
      return;
    }
    for (String part : rawQuery.split("&", -1)) {
      if (!part.isEmpty()) {
        add(part);
      }
    }
    text("id", "", MOST_ID);
  }

  private void add(String part) throws BadQuery {
    int equals = part.indexOf('=');
    String name = decoded(equals < 0 ? part : part.substring(0, equals)).toLowerCase(Locale.ROOT);
    if (!NAMES.contains(name)) {
      throw new BadQuery(
          "parameter '" + PrintableText.of(name) + "' is not known, expected one of " + sorted());
    }
    if (parameters.put(name, equals < 0 ? "" : decoded(part.substring(equals + 1))) != null) {
      throw new BadQuery(name + " is stated more than once");
    }
  }

  private static String sorted() {
    return String.join(", ", NAMES.stream().sorted().toList());
  }

  private static String decoded(String value) throws BadQuery {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new BadQuery("the query is not percent-encoded UTF-8");
    }
  }

  /** Returns the operation of an action with these parameters. */
  ObjectOperation operation(CoordinationPath.Action path) throws BadQuery {
    if (path.action().equals("stats")) {
      return new ObjectOperation.Inspect(path.kind());
    }
    return switch (path.kind()) {
      case TOKENBUCKET -> new ObjectOperation.TakeToken(size(1), millis("interval", 1_000, 1));
      case SEMAPHORE ->
          path.action().equals("release")
              ? new ObjectOperation.Release(key())
              : new ObjectOperation.Acquire(size(1), newKey(), millis("expires", 60_000, 0));
      case EVENT ->
          path.action().equals("send")
              ? new ObjectOperation.Send(message())
              : new ObjectOperation.AwaitEvent();
      case WATCHDOG ->
          path.action().equals("kick")
              ? new ObjectOperation.Kick(millis("expires", 60_000, 0))
              : new ObjectOperation.AwaitSilence();
      case COUNTER -> counter(path.action());
      case BARRIER -> new ObjectOperation.Arrive(size(2));
    };
  }

  private ObjectOperation counter(String action) throws BadQuery {
    return switch (action) {
      case "count" -> new ObjectOperation.Count(whole("amount", 1, Long.MIN_VALUE, Long.MAX_VALUE));
      case "reset" -> new ObjectOperation.Reset(whole("value", 0, Long.MIN_VALUE, Long.MAX_VALUE));
      default -> new ObjectOperation.Value();
    };
  }

  /** Returns how long an operation may wait, in nanoseconds. */
  long maxWaitNanos(ObjectOperation objectOperation) throws BadQuery {
    if (!objectOperation.waits()) {
      return 0;
    }
    long millis = whole("maxwait", -1, -1, MOST_MILLIS);
    return millis < 0 ? CoordinationService.FOR_EVER : millis * MILLI;
  }

  /** Returns the client's name for its request, or an empty text. */
  String id() {
    return parameters.getOrDefault("id", "");
  }

  private long size(long otherwise) throws BadQuery {
    return whole("size", otherwise, 0, ObjectOperation.MOST_SIZE);
  }

  private long millis(String name, long otherwise, long least) throws BadQuery {
    return whole(name, otherwise, least, MOST_MILLIS) * MILLI;
  }

  private long whole(String name, long otherwise, long least, long most) throws BadQuery {
    String text = parameters.get(name);
    if (text == null) {
      return otherwise;
    }
    BigInteger value = WHOLE.matcher(text).matches() ? new BigInteger(text) : null;
    if (value == null
        || value.compareTo(BigInteger.valueOf(least)) < 0
        || value.compareTo(BigInteger.valueOf(most)) > 0) {
      throw new BadQuery(
          "%s is '%s', expected a whole number from %d to %d"
              .formatted(name, PrintableText.of(text), least, most));
    }
    return value.longValueExact();
  }

  private String key() throws BadQuery {
    if (!parameters.containsKey("key")) {
      throw new BadQuery("key is missing, expected what acquire answered");
    }
    return text("key", "", MOST_KEY);
  }

  private String newKey() throws BadQuery {
    String key = parameters.getOrDefault("key", "");
    return key.isEmpty() ? UUID.randomUUID().toString() : text("key", "", MOST_KEY);
  }

  private String message() throws BadQuery {
    String message = parameters.getOrDefault("message", "");
    if (message.length() > MOST_MESSAGE) {
      throw new BadQuery(
          "message has %d characters, expected at most %d"
              .formatted(message.length(), MOST_MESSAGE));
    }
    return message;
  }

  private String text(String name, String otherwise, int most) throws BadQuery {
    String text = parameters.get(name);
    if (text == null) {
      return otherwise;
    }
    String fault =
        name.equals("id") && text.isEmpty() ? null : CoordinationPath.fault(name, text, most);
    if (fault != null) {
      throw new BadQuery(fault);
    }
    return text;
  }
}
