package io.penstock.provider.gemini;

import io.penstock.provider.request.StatedModel;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/**
 * The model and the call at the end of a Gemini path such as {@code
 * /v1beta/models/gemini-2.5-flash:generateContent}. The part before is a version, or project and
 * location as in Vertex AI.
 *
 * @param model the model's name: without its collection if that is {@code models/}, else with it,
 *     such as {@code tunedModels/x}; empty if the path names none
 * @param call the call to the model
 */
public record GeminiPath(String model, String call) {
  private static final String MODELS = "models";

  /** Matches the first collection in a path, up to the name of the model in it. */
  private static final Pattern COLLECTION = Pattern.compile("(?i)/(?:models/|(?=tunedModels/))");

  private static final String STREAM = "streamGenerateContent";
  private static final Set<String> GENERATES = calls("generateContent", STREAM);
  private static final Set<String> EMBEDS = calls("embedContent", "batchEmbedContents");

  /** Returns a set of calls that ignores case, as a request must not evade its limits by it. */
  private static Set<String> calls(String... names) {
    Set<String> calls = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    calls.addAll(List.of(names));
    return Collections.unmodifiableSet(calls);
  }

  /** Parses a decoded path; returns null if it does not end in a call. */
  public static @Nullable GeminiPath of(String path) {
    Places at = Places.in(path, path.lastIndexOf(':'), 1);
    if (at == null) {
      return null;
    }
    String id = path.substring(at.id, at.idEnd);
    String collection = path.substring(at.collection, at.collectionEnd);
    return new GeminiPath(model(collection, id), path.substring(at.call, at.callEnd));
  }

  private static String model(String collection, String id) {
    boolean plain = id.isBlank() || collection.isEmpty() || collection.equals(MODELS);
    return plain ? id : collection + "/" + id;
  }

  /**
   * Returns whether a path names one model however a server reads it: by the last collection or by
   * the first, with escaped slashes or without.
   *
   * @param model the model that {@link #of} reads in the decoded path
   */
  static boolean namesOnly(@Nullable String model, String rawPath, String path) {
    Places at = Places.inRaw(rawPath);
    if (at == null) {
      return false;
    }
    String collection = decoded(rawPath.substring(at.collection, at.collectionEnd));
    String sent = model(collection, decoded(rawPath.substring(at.id, at.idEnd)));
    Matcher first = COLLECTION.matcher(path);
    return sent.equals(model)
        && (!first.find() || path.substring(first.end(), path.lastIndexOf(':')).equals(model));
  }

  private static String decoded(String text) {
    return UriUtils.decode(text, StandardCharsets.UTF_8);
  }

  /**
   * Returns a raw path with the model replaced by another (a name with or without its collection);
   * the path itself if it names no model.
   */
  public static String renamed(String rawPath, String model) {
    Places at = Places.inRaw(rawPath);
    if (at == null || at.id == at.idEnd) {
      return rawPath;
    }
    StringBuilder renamed = new StringBuilder(rawPath.length() + model.length());
    if (at.collection == at.collectionEnd) {
      renamed.append(rawPath, 0, at.id);
    } else {
      renamed.append(rawPath, 0, at.collection);
      if (model.indexOf('/') < 0) {
        renamed.append(MODELS).append('/');
      }
    }
    return renamed
        .append(UriUtils.encodePath(model, StandardCharsets.UTF_8).replace(":", "%3A"))
        .append(rawPath, at.idEnd, rawPath.length())
        .toString();
  }

  /** Returns whether the call asks for content. */
  public boolean generates() {
    return GENERATES.contains(call);
  }

  /** Returns whether the call asks for content as a stream. */
  boolean streams() {
    return call.equalsIgnoreCase(STREAM);
  }

  /** Returns whether the call asks for vectors. */
  public boolean embeds() {
    return EMBEDS.contains(call);
  }

  /** Returns what is wrong with the model's name, or null. */
  @Nullable String fault() {
    if (model.isBlank()) {
      return "the path names no model";
    }
    return model.length() > StatedModel.MAX_LENGTH
        ? "the path's model is longer than " + StatedModel.MAX_LENGTH + " characters"
        : null;
  }

  /** Positions of the last collection in a path, of the id in it, and of the call. */
  private record Places(
      int collection, int collectionEnd, int id, int idEnd, int call, int callEnd) {

    /** Parses a path as it came, in which the colon may be escaped. */
    static @Nullable Places inRaw(String rawPath) {
      int colon = rawPath.lastIndexOf(':');
      int escaped = Math.max(rawPath.lastIndexOf("%3A"), rawPath.lastIndexOf("%3a"));
      return in(rawPath, Math.max(colon, escaped), colon > escaped ? 1 : 3);
    }

    /**
     * Parses a path with its last colon at {@code colon}, where it takes {@code width} characters.
     */
    static @Nullable Places in(String path, int colon, int width) {
      int end = withoutSlashes(path, path.length());
      int id = path.lastIndexOf('/', end - 1) + 1;
      if (colon < id || colon + width > end) {
        return null;
      }
      int collectionEnd = withoutSlashes(path, id);
      int collection = path.lastIndexOf('/', collectionEnd - 1) + 1;
      return new Places(collection, collectionEnd, id, colon, colon + width, end);
    }

    private static int withoutSlashes(String path, int end) {
      int at = end;
      while (at > 0 && path.charAt(at - 1) == '/') {
        at--;
      }
      return at;
    }
  }
}
