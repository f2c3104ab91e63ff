package io.penstock.provider.request;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/**
 * The model and the call that one of Gemini's paths ends in, such as {@code
 * /v1beta/models/gemini-2.5-flash:generateContent}. What stands before is a version, or a project
 * and a place as Vertex AI has them.
 *
 * @param model the model's name: without its collection where that is {@code models/}, else with
 *     it, as in {@code tunedModels/x}; empty when the path names none
 * @param call what is asked of it
 */
public record GeminiPath(String model, String call) {
  private static final String MODELS = "models";
  private static final String STREAM = "streamGenerateContent";
  private static final Set<String> GENERATES = Set.of("generateContent", STREAM);
  private static final Set<String> EMBEDS = Set.of("embedContent", "batchEmbedContents");

  /** Reads a decoded path; null where it ends in no call. */
  public static @Nullable GeminiPath of(String path) {
    Places at = Places.in(path, path.lastIndexOf(':'), 1);
    if (at == null) {
      return null;
    }
    String id = path.substring(at.id, at.idEnd);
    String collection = path.substring(at.collection, at.collectionEnd);
    boolean plain = id.isBlank() || collection.isEmpty() || collection.equals(MODELS);
    return new GeminiPath(plain ? id : collection + "/" + id, path.substring(at.call, at.callEnd));
  }

  /**
   * Returns a raw path with another model in it, whose name may bring its collection; the path
   * itself where it names none.
   */
  public static String renamed(String rawPath, String model) {
    int colon = rawPath.lastIndexOf(':');
    int escaped = Math.max(rawPath.lastIndexOf("%3A"), rawPath.lastIndexOf("%3a"));
    Places at = Places.in(rawPath, Math.max(colon, escaped), colon > escaped ? 1 : 3);
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

  /** Returns whether it asks for content. */
  public boolean generates() {
    return GENERATES.contains(call);
  }

  /** Returns whether it asks for content as it is produced. */
  boolean streams() {
    return call.equals(STREAM);
  }

  /** Returns whether it asks for vectors. */
  public boolean embeds() {
    return EMBEDS.contains(call);
  }

  /** Returns what is wrong with the model's name, or null. */
  @Nullable String fault() {
    if (model.isBlank()) {
      return "the path names no model";
    }
    return model.length() > Parameters.MAX_MODEL_LENGTH
        ? "the path's model is longer than " + Parameters.MAX_MODEL_LENGTH + " characters"
        : null;
  }

  /** Where in a path its last collection, the id in it, and the call are. */
  private record Places(
      int collection, int collectionEnd, int id, int idEnd, int call, int callEnd) {

    /** Looks into a path whose last colon is {@code width} characters from {@code colon} on. */
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
