package io.penstock.provider.answer;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The status that an error has where providers tell it by the status of the answer. It is read from
 * the error's own members: a number that is a status, else the names of its kind, else its words.
 */
final class ErrorStatus {
  /** The status of an error that does not say what it is. */
  static final int UNKNOWN = 500;

  private static final int LOWEST = 400;
  private static final int HIGHEST = 599;

  /** A kind of error: its status and what its names contain, in lower case, with underscores. */
  private record Kind(int status, Pattern names) {
    static Kind of(int status, String names) {
      return new Kind(status, Pattern.compile(names));
    }
  }

  /** The kinds by their names; the first that fits counts. */
  private static final List<Kind> NAMES =
      List.of(
          Kind.of(529, "^overloaded_error$"),
          Kind.of(503, "overload|unavailable|system_resource|slow_down|at_capacity|over_capacity"),
          Kind.of(
              429,
              "rate_?limit|too_?many_?requests|capacity_exceeded|throttl|resource_exhausted|quota|usage_limit"
                  + "|^(1302|1303|1304|1305|1308|1310)$"),
          Kind.of(402, "insufficient_balance|insufficient_credit|billing|payment|arrear|^1113$"),
          Kind.of(401, "authenti|unauthorized|invalid_?api_?key|invalid_token"),
          Kind.of(403, "permission|forbidden|access_?denied|not_allowed"),
          Kind.of(404, "not_?found"),
          Kind.of(413, "request_too_large"),
          Kind.of(408, "request_timeout"),
          Kind.of(504, "timeout|timed_out|deadline"),
          Kind.of(
              400,
              "invalid|bad_?request|context_(length|size|window)|content_(filter|policy)"
                  + "|failed_precondition|out_of_range|unsupported|validation|sensitive"
                  + "|bad_prompt|too_long|_too_|_policy$|data_?inspection"));

  /** The kinds by the words of a message, where the names say nothing. */
  private static final List<Kind> WORDS =
      List.of(
          Kind.of(
              503,
              "overloaded|high demand|high load|at capacity|over capacity|temporarily unavailable"
                  + "|no capacity|currently busy|engine is busy"),
          Kind.of(429, "rate.?limit|too many requests|requests per|tokens per|quota|throttl"),
          Kind.of(
              400,
              "context (length|size|window)|maximum (context|length)|prompt is too long"
                  + "|invalid (request|value|parameter)"));

  private ErrorStatus() {}

  /** Returns the status of an error with those members, or {@link #UNKNOWN}. */
  static int of(JsonNode error) {
    for (String member : List.of("code", "status", "status_code", "http_status", "http_code")) {
      int number = number(error.path(member));
      if (number != 0) {
        return number;
      }
    }
    for (String member : List.of("code", "type", "status")) {
      int named = named(error.path(member).asString(""));
      if (named != 0) {
        return named;
      }
    }
    return worded(error.path("message").asString(""));
  }

  /** Returns the value as a status of an error, or 0 if it is none. */
  private static int number(JsonNode value) {
    String text = value.asString("").strip();
    if (text.length() != 3 || !text.chars().allMatch(each -> each >= '0' && each <= '9')) {
      return 0;
    }
    int number = Integer.parseInt(text);
    return number >= LOWEST && number <= HIGHEST ? number : 0;
  }

  private static int named(String name) {
    return first(NAMES, name.strip().toLowerCase(Locale.ROOT).replaceAll("[ .-]", "_"), 0);
  }

  private static int worded(String message) {
    return first(WORDS, message.toLowerCase(Locale.ROOT), UNKNOWN);
  }

  private static int first(List<Kind> kinds, String text, int otherwise) {
    for (Kind kind : kinds) {
      if (kind.names().matcher(text).find()) {
        return kind.status();
      }
    }
    return otherwise;
  }
}
