package io.penstock.load;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A way in which an upstream of {@code 14-wrong-upstreams} is wrong, as the provider answers. */
enum Wrong {
  LIMIT_WEEK("429", "retry-after: 604800", Wrong.LIMITED),
  LIMIT_NO_TIME("429", "", "{\"error\":{\"message\":\"slow down\"}}"),
  GEMINI_DAY(
      "429",
      "",
      "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"quota\",\"details\""
          + ":[{\"violations\":[{\"quotaId\":\"GenerateRequestsPerDayPerProjectPerModel\"}]},"
          + "{\"retryDelay\":\"34s\"}]}}"),
  ACCOUNT_401("401", "", "{\"error\":{\"message\":\"Incorrect API key provided: sk-x.\"}}"),
  ACCOUNT_402("402", "", "{\"error\":{\"message\":\"Insufficient Balance\"}}"),
  ACCOUNT_403("403", "", "{\"error\":{\"code\":\"unsupported_country_region_territory\"}}"),
  ANTHROPIC_CREDIT(
      "400",
      "",
      "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit"
          + " balance is too low to access the Anthropic API.\"}}"),
  ACCOUNT_SPENT("429", "", "{\"error\":{\"code\":\"insufficient_quota\"}}"),
  CLOUDFLARE_520("520", "", "<html>error code: 520</html>"),
  CLOUDFLARE_522("522", "", "<html>error code: 522</html>"),
  CLOUDFLARE_524("524", "", "<html>error code: 524</html>"),
  CLOUDFLARE_530("530", "", "<html>error code: 530</html>"),
  PLAIN_ERROR_IN_200("200", "", Wrong.LIMITED),
  STREAM_ERROR_IN_200(
      "200",
      Wrong.STREAM,
      "data: {\"error\":{\"message\":\"The server is overloaded\",\"code\":\"server_error\"}}\n\n"),
  ANTHROPIC_STREAM_ERROR_IN_200(
      "200",
      Wrong.STREAM,
      "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
          + "\"message\":\"Overloaded\"}}\n\n"),
  GEMINI_ERROR_IN_200(
      "200", "", "{\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\",\"message\":\"busy\"}}"),
  STREAM_OPTIONS_400(
      "400", "", "{\"error\":{\"message\":\"Unrecognized request argument: stream_options\"}}"),
  STREAM_OPTIONS_422(
      "422", "", "{\"detail\":[{\"loc\":[\"body\",\"stream_options\"],\"msg\":\"extra\"}]}"),
  SERVER_ERROR("500", "", "{\"error\":{\"message\":\"internal\"}}"),
  /** The connection is closed before any answer. */
  CLOSES(null, "", "");

  static final String STREAM = "content-type: text/event-stream";
  private static final String LIMITED =
      "{\"error\":{\"message\":\"Rate limit reached\",\"code\":\"rate_limit_exceeded\"}}";

  private final @Nullable String status;
  private final String header;
  private final String body;

  Wrong(@Nullable String status, String header, String body) {
    this.status = status;
    this.header = header;
    this.body = body;
  }

  /** Returns its name in paths. */
  String path() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the status of the wrong answer; 0 when there is none. */
  int status() {
    return status == null ? 0 : Integer.parseInt(status);
  }

  /** Returns a header of the wrong answer as {@code name: value}; empty when it has none. */
  String header() {
    return header;
  }

  String body() {
    return body;
  }

  String dialect() {
    if (name().startsWith("GEMINI")) {
      return "gemini";
    }
    return name().startsWith("ANTHROPIC") ? "anthropic" : "openai";
  }

  boolean stream() {
    return header.equals(STREAM) || name().startsWith("STREAM");
  }

  /** Returns whether only requests with what the gateway adds are answered wrongly. */
  boolean onlyAdditions() {
    return name().startsWith("STREAM_OPTIONS");
  }
}
