package io.penstock.provider.gemini;

import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.MaximumPlaces;
import io.penstock.provider.request.StatedModel;
import io.penstock.provider.request.SteppedPrefix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bodies of Gemini's calls that are weighed. Their paths name the model. */
final class GeminiBodies {
  private static final String[] SYSTEM = {"systemInstruction", "system_instruction"};
  private static final String[] CONFIG = {"generationConfig", "generation_config"};

  private GeminiBodies() {}

  /** Returns a reader of a request for content. */
  static BodyMembers content(GeminiPath path) {
    GeminiConfig config = new GeminiConfig();
    BodyMembers body = new BodyMembers(model(path), path.streams());
    return body.counts(new GeminiText(true), "contents")
        .counts(new GeminiText(false), SYSTEM)
        .counts(new GeminiTools(), "tools")
        .addInput("cachedContent", "cached_content")
        .counts(config, CONFIG)
        .numbers("maxOutputTokens times candidateCount", config.maxima(), config.answers())
        .maximumPlaces(
            MaximumPlaces.within(List.of(CONFIG), List.of("maxOutputTokens", "max_output_tokens")))
        .prompt(
            new SteppedPrefix(
                GeminiBodies::smallestCached,
                body::quarterTokens,
                "tools",
                "systemInstruction",
                "system_instruction",
                "contents"));
  }

  /**
   * Returns a reader of a request for one or several vectors: the text in the contents of all its
   * parts counts.
   */
  static BodyMembers vectors(GeminiPath path) {
    GeminiText content = new GeminiText(false);
    return new BodyMembers(model(path), false)
        .withoutOutput()
        .counts(content, "content")
        .states(content, "requests")
        .counts(new GeminiText(false), "title");
  }

  private static StatedModel model(GeminiPath path) {
    return StatedModel.ofPath(path.model(), path.fault());
  }

  /**
   * Returns the smallest prompt that Gemini caches by itself for a model, in tokens. Source: Gemini
   * API documentation, "Context caching", implicit caching.
   */
  private static long smallestCached(@Nullable String model) {
    return model != null && model.contains("gemini-2.5") ? 2_048 : 4_096;
  }
}
