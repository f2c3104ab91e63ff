package io.penstock.provider;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/** Matches paths with the calls of a provider. */
public final class CallPaths {
  /** Ends of paths of batches at OpenAI, Azure, Anthropic, Mistral, Gemini and Vertex AI. */
  private static final List<String> BATCHES =
      List.of(
          "/batches",
          "/batch/jobs",
          ":batchGenerateContent",
          ":asyncBatchEmbedContent",
          "/batchPredictionJobs");

  /** Ends of paths of calls that count tokens, at Anthropic, OpenAI and Gemini. */
  private static final List<String> COUNTS =
      List.of("/messages/count_tokens", "/responses/input_tokens", ":countTokens");

  /** Matches the list of models, and one of them, behind nothing but versions of an API. */
  private static final Pattern MODELS =
      Pattern.compile("(?i)(/(api|openai|v[0-9]+[a-z0-9]*))*/models(/.+)?");

  /** Matches a path with a version at its end, such as {@code /openai/v1}. */
  private static final Pattern VERSIONED = Pattern.compile(".*(?<last>/v[0-9]+[a-z]*)");

  /**
   * Matches a collection of models, and the first segment of a name in it, in paths under which
   * servers offer OpenAI's calls for one model.
   */
  private static final Pattern MODEL = Pattern.compile("(?i)/(?:deployments|engines)/+([^/]+)");

  /** The part between an Azure deployment and its calls in an older version of the API. */
  private static final String EXTENSIONS = "/extensions";

  private CallPaths() {}

  /**
   * Returns whether {@code path} ends in {@code call}, such as {@code /chat/completions}. The part
   * before it is the provider's version, whose position varies between deployments. Extra slashes
   * and upper case are ignored, as some providers do, because a request must not evade its limits
   * by them.
   */
  public static boolean names(String path, String call) {
    String tidy = tidy(path);
    return tidy.regionMatches(true, tidy.length() - call.length(), call, 0, call.length());
  }

  /**
   * Returns the part of {@code path} behind a collection, such as {@code /models}, or null when
   * there is none. The part may contain slashes, as names of models do.
   */
  public static @Nullable String member(String path, String collection) {
    String tidy = tidy(path);
    String prefix = collection + "/";
    int at = tidy.toLowerCase(Locale.ROOT).indexOf(prefix);
    return at < 0 || at + prefix.length() == tidy.length()
        ? null
        : tidy.substring(at + prefix.length());
  }

  /** Returns a path without extra slashes. */
  static String tidy(String path) {
    if (!path.contains("//") && !path.endsWith("/")) {
      return path;
    }
    StringBuilder tidy = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean last = i == path.length() - 1;
      if (c != '/' || !(last || path.charAt(i + 1) == '/')) {
        tidy.append(c);
      }
    }
    return tidy.toString();
  }

  /**
   * Returns the version at the end of the path of an address, such as {@code /v1}, with its slash;
   * empty if there is none.
   */
  public static String version(String path) {
    Matcher versioned = VERSIONED.matcher(path);
    return versioned.matches() ? versioned.group("last") : "";
  }

  /** Returns whether a path names a model besides what the body of its call names. */
  public static boolean namesModel(String path) {
    return MODEL.matcher(path).find();
  }

  /**
   * As {@link ProviderProtocol#namesOnly}: the name is all that is between the collection and the
   * call, however many segments that has, and it is written plainly.
   *
   * @param call the end of the path that is the call
   */
  static boolean namesOnly(@Nullable String model, String rawPath, String path, String call) {
    Matcher read = MODEL.matcher(path);
    if (!read.find()) {
      return true;
    }
    int end = Math.max(read.start(1), path.length() - call.length());
    String name = path.substring(read.start(1), end);
    Matcher sent = MODEL.matcher(rawPath);
    return sent.find()
        && (name.equals(model) || name.equals(model + EXTENSIONS))
        && UriUtils.decode(sent.group(1), StandardCharsets.UTF_8).equals(model);
  }

  /** As {@link ProviderProtocol#startsBatch}, whichever provider the call is of. */
  static boolean startsBatch(String method, String path) {
    return method.equals("POST") && BATCHES.stream().anyMatch(call -> names(path, call));
  }

  /** As {@link ProviderProtocol#isLight}, whichever provider the call is of. */
  static boolean isLight(String method, String path) {
    return switch (method) {
      case "HEAD" -> true;
      case "GET" -> MODELS.matcher(tidy(path)).matches();
      case "POST" -> COUNTS.stream().anyMatch(call -> names(path, call));
      default -> false;
    };
  }
}
