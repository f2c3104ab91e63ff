package io.penstock.prefix;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The size from which a provider caches a prompt, in tokens, by the name of the model. Providers
 * process shorter prompts without the cache, and return no error.
 */
public final class CacheMinimum {
  /** The smallest prompt that OpenAI caches. Source: OpenAI's guide to prompt caching. */
  public static final long OPENAI_TOKENS = 1_024;

  private static final long USUAL_TOKENS = 1_024;

  /** Source: Anthropic's guide to prompt caching, "Cache limitations"; all others are usual. */
  private static final List<Row> ANTHROPIC =
      List.of(
          new Row(512, List.of("fable-5", "mythos-5", "opus-5")),
          new Row(2_048, List.of("mythos-preview", "opus-4-7", "3-haiku", "3-5-haiku", "haiku-3")),
          new Row(4_096, List.of("opus-4-6", "opus-4-5", "haiku-4-5")));

  /** Source: Gemini API documentation, "Context caching", implicit caching. */
  private static final Row GEMINI = new Row(2_048, List.of("gemini-2.5"));

  private static final long GEMINI_USUAL_TOKENS = 4_096;

  /**
   * A size and the models for which it holds.
   *
   * @param names parts of the names of models; clouds put their own words before and after them
   */
  private record Row(long tokens, List<String> names) {
    boolean names(String model) {
      for (String name : names) {
        if (model.contains(name)) {
          return true;
        }
      }
      return false;
    }
  }

  private CacheMinimum() {}

  /** Returns the smallest prompt that Anthropic caches for a model. */
  public static long anthropic(@Nullable String model) {
    if (model != null) {
      for (Row row : ANTHROPIC) {
        if (row.names(model)) {
          return row.tokens();
        }
      }
    }
    return USUAL_TOKENS;
  }

  /** Returns the smallest prompt that Gemini caches by itself for a model. */
  public static long gemini(@Nullable String model) {
    return model != null && GEMINI.names(model) ? GEMINI.tokens() : GEMINI_USUAL_TOKENS;
  }
}
