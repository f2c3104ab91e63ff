package io.penstock.gateway.request;

import io.penstock.cost.Cost;
import io.penstock.dispatch.WaitPatience;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.ShortParameter;
import io.penstock.key.KeySpec;
import io.penstock.time.WallClock;
import io.penstock.wire.HeaderNames;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The gateway's own parameters of a request.
 *
 * <p>Each has a long name, a header that is read at every endpoint, and short names, which are read
 * only where the endpoint says so. The long name wins over the short ones, and the query over the
 * headers; a value that loses is not looked at.
 *
 * <p>A parameter that cannot be read, or is stated twice, is a fault. A lenient endpoint behaves
 * like rls instead: it ignores a parameter that it cannot read, takes the first of two values, and
 * treats a cost of 0 tokens as not stated.
 *
 * @param tokens the input tokens that the request states, or null
 * @param patience how long the request is willing to wait
 * @param priority 0 to 9, where lower and higher values count as 0 and 9; with a key at most what
 *     the key allows
 * @param latencyMillis how long the request was on its way, by the clocks of both ends, at least 0;
 *     null when the sending time is missing or cannot be read
 * @param session the session of the client that the request names; empty for none
 * @param query the query that remains for the upstream, raw, or null
 * @param credential the part of the query that is a credential, raw, or null
 * @param readHeaders headers under short names that are read at this endpoint, in lower case; they
 *     are not for the upstream
 * @param ignored parameters that the request states only under a short name that is not read here
 * @param fault what could not be read, or null
 */
public record GatewayParameters(
    @Nullable Long tokens,
    WaitPatience patience,
    int priority,
    @Nullable Long latencyMillis,
    String session,
    @Nullable String query,
    @Nullable String credential,
    Set<String> readHeaders,
    Set<ShortParameter> ignored,
    @Nullable String fault) {
  /** The highest priority of a request without a key. */
  private static final int MOST_PRIORITY = 9;

  private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(1_000_000_000L);
  private static final BigDecimal SECOND = BigDecimal.valueOf(1_000_000_000L);

  /**
   * Headers in which client libraries state their own timeout in seconds: those of OpenAI and
   * Anthropic for Node and Java, those for Python, and Google's.
   */
  private static final List<String> CLIENT_TIMEOUTS =
      List.of("x-stainless-timeout", "x-stainless-read-timeout", "X-Server-Timeout");

  /** Headers in which agents name their session: Claude Code, Codex, opencode and others. */
  private static final List<String> SESSIONS =
      List.of(
          "x-claude-code-session-id",
          "session_id",
          "session-id",
          "x-opencode-session",
          "x-session-affinity",
          "x-session-id");

  private static final int LONGEST_SESSION = 200;

  private static final Set<String> ALL_SHORT_HEADERS =
      Arrays.stream(ShortParameter.values())
          .filter(ShortParameter::isHeader)
          .map(each -> each.text().toLowerCase(Locale.ROOT))
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> COST_HEADER =
      Set.of(ShortParameter.TOKEN_COST_HEADER.text().toLowerCase(Locale.ROOT));

  private static final ClientParameter TOKENS =
      new ClientParameter(
          HeaderNames.TOKENS,
          "tokens",
          List.of(ShortParameter.TOKENS_IN_QUERY, ShortParameter.TOKEN_COST_HEADER),
          "a whole number from 0 to " + Cost.MAX_TOKENS,
          GatewayParameters::count);

  private static final ClientParameter TIMEOUT =
      new ClientParameter(
          HeaderNames.TIMEOUT,
          "timeout",
          List.of(ShortParameter.TIMEOUT_IN_QUERY, ShortParameter.TIMEOUT_HEADER),
          "a number of seconds, 0 or more",
          GatewayParameters::nanos);

  private static final ClientParameter PRIORITY =
      new ClientParameter(
          HeaderNames.PRIORITY,
          "X-Priority",
          List.of(ShortParameter.PRIORITY_HEADER),
          "a whole number",
          GatewayParameters::priority);

  /** The time is only shown, so one that cannot be read is no fault. */
  private static final ClientParameter SENT_AT =
      new ClientParameter(
          HeaderNames.SENT_AT,
          "X-Sent-At",
          List.of(ShortParameter.SENT_AT_HEADER),
          null,
          GatewayParameters::millis);

  /**
   * One parameter that a request may state.
   *
   * @param name the header that is its long name
   * @param shortName what a fault calls it when it is stated under a short name
   * @param shorts its short names; the first that is stated counts
   * @param expected what a value has to be, or null if no value is a fault
   * @param parser returns the value, or null when the text is none
   */
  private record ClientParameter(
      String name,
      String shortName,
      List<ShortParameter> shorts,
      @Nullable String expected,
      Function<String, @Nullable Long> parser) {}

  public GatewayParameters {
    session = session.substring(0, Math.min(session.length(), LONGEST_SESSION));
    readHeaders = Set.copyOf(readHeaders);
    ignored = Set.copyOf(ignored);
  }

  /**
   * Reads the parameters; a fault is returned, not thrown.
   *
   * @param rank the priorities that its key allows, or null when it has none
   */
  public static GatewayParameters of(
      @Nullable String rawQuery,
      HttpHeaders headers,
      EndpointSpec.Reading reading,
      KeySpec.@Nullable Rank rank,
      WallClock clock) {
    ClientQuery query = ClientQuery.of(rawQuery, reading);
    Reader reader = new Reader(query, headers, reading);
    Long tokens = reader.read(TOKENS);
    Long nanos = reader.read(TIMEOUT);
    Long priority = reader.read(PRIORITY);
    Long sentMillis = reader.read(SENT_AT);
    boolean unsaid = reading.parameters().lenient() && tokens != null && tokens == 0;
    return new GatewayParameters(
        unsaid ? null : tokens,
        new WaitPatience(nanos == null ? WaitPatience.UNSTATED : nanos, clientNanos(headers)),
        ranked(priority, rank),
        sentMillis == null ? null : Long.valueOf(Math.max(0, clock.unixMillis() - sentMillis)),
        session(headers),
        query.rest(),
        query.credential(),
        readHeaders(reading),
        reader.ignored,
        reader.fault);
  }

  private static String session(HttpHeaders headers) {
    return SESSIONS.stream().map(headers::getFirst).filter(Objects::nonNull).findFirst().orElse("");
  }

  private static Set<String> readHeaders(EndpointSpec.Reading reading) {
    if (reading.parameters().shortNames()) {
      return ALL_SHORT_HEADERS;
    }
    return reading.reads(ShortParameter.TOKEN_COST_HEADER) ? COST_HEADER : Set.of();
  }

  private static int ranked(@Nullable Long stated, KeySpec.@Nullable Rank rank) {
    if (rank != null) {
      return stated == null ? rank.priority() : (int) Math.min(stated, rank.maxPriority());
    }
    return stated == null ? 0 : Math.clamp(stated, 0, MOST_PRIORITY);
  }

  private static @Nullable Long count(String text) {
    if (!text.matches("[0-9]{1,13}")) {
      return null;
    }
    long count = Long.parseLong(text);
    return count <= Cost.MAX_TOKENS ? count : null;
  }

  private static @Nullable Long nanos(String text) {
    if (!text.matches("[0-9]{1,18}(\\.[0-9]{1,9})?")) {
      return null;
    }
    return new BigDecimal(text).min(MOST_SECONDS).multiply(SECOND).longValue();
  }

  private static @Nullable Long priority(String text) {
    if (!text.matches("[+-]?[0-9]{1,10}")) {
      return null;
    }
    long priority = Long.parseLong(text);
    return priority == (int) priority ? priority : null;
  }

  private static @Nullable Long millis(String text) {
    return text.matches("[0-9]{1,18}") ? Long.valueOf(text) : null;
  }

  /**
   * Returns when the client library gives up, less a second so that the gateway's answer is there
   * first; the shortest time counts where several are stated. The headers are meant for the
   * provider, so an unreadable value is no fault.
   */
  private static long clientNanos(HttpHeaders headers) {
    long least = Long.MAX_VALUE;
    for (String name : CLIENT_TIMEOUTS) {
      String text = headers.getFirst(name);
      if (text != null && text.matches("[0-9]{1,18}(\\.[0-9]{1,30})?")) {
        long nanos = new BigDecimal(text).min(MOST_SECONDS).multiply(SECOND).longValue();
        least = Math.min(least, Math.max(0, nanos - SECOND.longValue()));
      }
    }
    return least;
  }

  /** Reads one parameter after the other; keeps the first fault, and what is not read here. */
  private static final class Reader {
    private final ClientQuery query;
    private final HttpHeaders headers;
    private final EndpointSpec.Reading reading;
    private Set<ShortParameter> ignored = Set.of();
    private @Nullable String fault;

    Reader(ClientQuery query, HttpHeaders headers, EndpointSpec.Reading reading) {
      this.query = query;
      this.headers = headers;
      this.reading = reading;
    }

    /** Returns the first stated value, or null when there is none or it cannot be read. */
    @Nullable Long read(ClientParameter parameter) {
      List<String> stated = headers.getOrEmpty(parameter.name());
      boolean isLong = !stated.isEmpty();
      if (!isLong) {
        stated = shortlyStated(parameter);
      }
      if (stated.isEmpty()) {
        return null;
      }
      Long value = parameter.parser().apply(stated.getFirst());
      if (!reading.parameters().lenient() && fault == null && parameter.expected() != null) {
        String name = isLong ? parameter.name() : parameter.shortName();
        if (value == null) {
          fault = name + " is not " + parameter.expected();
        } else if (stated.size() > 1) {
          fault = name + " is stated more than once";
        }
      }
      return value;
    }

    private List<String> shortlyStated(ClientParameter parameter) {
      for (ShortParameter each : parameter.shorts()) {
        List<String> stated = values(each);
        if (!stated.isEmpty()) {
          if (reading.reads(each)) {
            return stated;
          }
          ignore(each);
        }
      }
      return List.of();
    }

    private List<String> values(ShortParameter parameter) {
      return switch (parameter) {
        case TOKENS_IN_QUERY -> query.tokens();
        case TIMEOUT_IN_QUERY -> query.timeout();
        case TIMEOUT_HEADER, TOKEN_COST_HEADER, PRIORITY_HEADER, SENT_AT_HEADER ->
            headers.getOrEmpty(parameter.text());
      };
    }

    private void ignore(ShortParameter parameter) {
      if (ignored.isEmpty()) {
        ignored = EnumSet.noneOf(ShortParameter.class);
      }
      ignored.add(parameter);
    }
  }
}
