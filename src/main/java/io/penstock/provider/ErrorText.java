package io.penstock.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.pool.ProviderLesson;
import io.penstock.pool.ProviderLesson.ErrorCause;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The content of an error's body as far as it matters for what to do: its first 64 KiB, whether or
 * not it is JSON of a known shape. Providers use the same status for errors that pass within
 * seconds and for those that need a payment; only the text tells them apart.
 *
 * @param text type, code, status and message if the body has them, else all of it; in lower case
 * @param retryDelay delay in a {@code RetryInfo}, in another member or in the words, or null
 * @param daily whether a {@code QuotaFailure} names a daily quota
 * @param about type, code and status, and the message without what it quotes; in lower case
 * @param message the message as other people may read it
 */
record ErrorText(
    String text, @Nullable String retryDelay, boolean daily, String about, String message) {
  private static final int MAX_BYTES = 64 << 10;
  private static final JsonMapper JSON = new JsonMapper();

  private static final List<String> RATE =
      List.of(
          "rate_limit",
          "rate limit",
          "ratelimit",
          "resource_exhausted",
          "too many requests",
          "requests per min",
          "tokens per min",
          "rate exceeded",
          "throttl");

  /** Words about the request itself: its size, its tools or the tier that it asks for. */
  private static final Pattern REQUEST =
      Pattern.compile(
          "request too large|extra usage is required|long context|\\btools?\\b|web[ _]search"
              + "|service[ _]tier(?! `\\w{1,40}` on )|\\bflex\\b");

  private static final Pattern ASKED =
      Pattern.compile("limit:? (\\d{1,15})\\b.{0,80}?requested:? (\\d{1,15})\\b", Pattern.DOTALL);

  /** A delay in a sentence: {@code try again in 6m0s}, or {@code retry after 26 seconds}. */
  private static final Pattern DELAY =
      Pattern.compile(
          "(?:try again|retry|resets?) (?:in|after) (?:"
              + "((?:\\d{1,9}(?:\\.\\d{1,9})?(?:h|ms|m|s))+)\\b"
              + "|(\\d{1,9}(?:\\.\\d{1,9})?) ?(milli|second|minute|hour))");

  static ErrorText of(byte[] body) {
    byte[] read = body.length <= MAX_BYTES ? body : Arrays.copyOf(body, MAX_BYTES);
    JsonNode root = root(read);
    JsonNode error = error(root);
    if (error == null) {
      String all = new String(read, UTF_8);
      String message = root == null ? all : message(root);
      return of(small(all), delay(small(all)), false, message, root);
    }
    String retryDelay = null;
    boolean daily = false;
    String model = "";
    for (JsonNode detail : error.path("details")) {
      JsonNode delay = detail.path("retryDelay");
      retryDelay = delay.isString() ? delay.stringValue() : retryDelay;
      for (JsonNode violation : detail.path("violations")) {
        daily |= violation.path("quotaId").asString("").contains("PerDay");
        model = violation.path("quotaDimensions").path("model").asString(model);
      }
    }
    StringBuilder text = new StringBuilder();
    for (String member : List.of("type", "code", "status", "param", "message")) {
      text.append(error.path(member).asString("")).append('\n');
    }
    text.append(model);
    String words = small(text.toString());
    String delay = retryDelay == null ? delay(error, words) : retryDelay;
    return of(words, delay, daily, error.path("message").asString(""), error);
  }

  /**
   * Returns the delay that an error states beside its words or in them, or null. ChatGPT's accounts
   * have the first form; OpenAI, Azure, Groq and Google write sentences.
   */
  private static @Nullable String delay(JsonNode error, String words) {
    JsonNode seconds = error.path("resets_in_seconds");
    return seconds.isNumber() ? seconds.asString() + "s" : delay(words);
  }

  private static @Nullable String delay(String words) {
    Matcher delay = DELAY.matcher(words);
    if (!delay.find()) {
      return null;
    }
    String unit = delay.group(3);
    return unit == null
        ? delay.group(1)
        : delay.group(2) + (unit.equals("milli") ? "ms" : unit.substring(0, 1));
  }

  private static ErrorText of(
      String text,
      @Nullable String retryDelay,
      boolean daily,
      String message,
      @Nullable JsonNode error) {
    StringBuilder about = new StringBuilder(PublicWords.unquoted(message)).append('\n');
    about.append(PublicWords.unquoted(inner(message))).append('\n');
    if (error != null) {
      for (String member : List.of("type", "code", "status")) {
        about.append(error.path(member).asString("")).append('\n');
      }
    }
    return new ErrorText(text, retryDelay, daily, small(about.toString()), PublicWords.of(message));
  }

  /** Returns the message of an error that a proxy has put into its own, or an empty text. */
  private static String inner(String message) {
    int at = message.indexOf("{\"error\"");
    int end = message.lastIndexOf('}');
    JsonNode error = at < 0 || end < at ? null : error(root(message.substring(at, end + 1)));
    return error == null ? "" : error.path("message").asString("");
  }

  private static @Nullable JsonNode root(String text) {
    return root(text.getBytes(UTF_8));
  }

  /** Returns the body, or null if it is not JSON. */
  private static @Nullable JsonNode root(byte[] body) {
    try {
      JsonNode root = JSON.readTree(body);
      return root.isArray() ? root.path(0) : root; // Gemini streams arrays, which may hold an error
    } catch (JacksonException e) {
      return null;
    }
  }

  /** Returns the object that describes the error, or null if the body lacks the common shape. */
  private static @Nullable JsonNode error(@Nullable JsonNode root) {
    JsonNode error = root == null ? null : root.path("error");
    return error != null && error.isObject() ? error : null;
  }

  /** Returns the message in JSON without the common shape; empty if it cannot be told. */
  private static String message(JsonNode root) {
    for (String member : List.of("error", "message", "detail", "msg", "title")) {
      if (root.path(member).isString()) {
        return root.path(member).stringValue();
      }
    }
    return "";
  }

  private static String small(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Returns the words that are kept. */
  String words() {
    return text.substring(0, Math.min(text.length(), ProviderLesson.MOST_WORDS));
  }

  /** Returns the meaning of this text in an answer with the given status. */
  ErrorCause wording(int status) {
    if (status == 503 || status == 529 || text.contains("overloaded_error")) {
      return ErrorCause.OVERLOADED;
    }
    if (AccountWords.deniesModel(status, text)) {
      return ErrorCause.MODEL_NOT_FOUND;
    }
    boolean ofRequest = REQUEST.matcher(text).find() || asksTooMuch();
    ErrorCause ofAccount = AccountWords.ofAccount(status, about, ofRequest);
    if (ofAccount != null) {
      return ofAccount;
    }
    if (ofRequest) {
      return ErrorCause.TOO_LARGE;
    }
    // Gemini mentions plans and billing for every kind of quota, so its details take precedence.
    boolean passes = retryDelay != null;
    if (daily) {
      return ErrorCause.DAY;
    }
    if (status == 429 && !passes && AccountWords.spent(text)) {
      return ErrorCause.SPENT;
    }
    if (status == 429 && !passes && AccountWords.refused(about)) {
      return ErrorCause.ACCOUNT;
    }
    return passes || any(RATE) ? ErrorCause.RATE : ErrorCause.OTHER;
  }

  private boolean any(List<String> words) {
    return words.stream().anyMatch(text::contains);
  }

  private boolean asksTooMuch() {
    Matcher asked = ASKED.matcher(text);
    return asked.find() && Long.parseLong(asked.group(2)) > Long.parseLong(asked.group(1));
  }
}
