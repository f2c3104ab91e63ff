package io.penstock.tokenizer;

import com.knuddels.jtokkit.api.EncodingType;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps OpenAI's models to their token tables. Source: {@code tiktoken/model.py} of OpenAI's
 * tiktoken.
 */
final class OpenAiModels {
  private static final Map<String, EncodingType> BY_PREFIX =
      Map.ofEntries(
          Map.entry("gpt-5", EncodingType.O200K_BASE),
          Map.entry("gpt-4.5", EncodingType.O200K_BASE),
          Map.entry("gpt-4.1", EncodingType.O200K_BASE),
          Map.entry("gpt-4o", EncodingType.O200K_BASE),
          Map.entry("chatgpt-4o", EncodingType.O200K_BASE),
          Map.entry("gpt-oss", EncodingType.O200K_BASE),
          Map.entry("o1", EncodingType.O200K_BASE),
          Map.entry("o3", EncodingType.O200K_BASE),
          Map.entry("o4", EncodingType.O200K_BASE),
          Map.entry("gpt-4", EncodingType.CL100K_BASE),
          Map.entry("gpt-3.5", EncodingType.CL100K_BASE),
          Map.entry("gpt-35", EncodingType.CL100K_BASE),
          Map.entry("text-embedding-3", EncodingType.CL100K_BASE),
          Map.entry("text-embedding-ada-002", EncodingType.CL100K_BASE));

  private static final String TUNED = "ft:";

  private OpenAiModels() {}

  /** Returns the table of the longest known name that {@code model} begins with, or null. */
  static @Nullable EncodingType table(String model) {
    String name = model.startsWith(TUNED) ? model.substring(TUNED.length()) : model;
    for (int end = name.length(); end > 1; end--) {
      boolean whole = end == name.length() || "-.:".indexOf(name.charAt(end)) >= 0;
      EncodingType table = whole ? BY_PREFIX.get(name.substring(0, end)) : null;
      if (table != null) {
        return table;
      }
    }
    return null;
  }
}
