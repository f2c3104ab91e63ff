package io.penstock.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Built-in limits of models, by provider: those that the provider gives to new accounts. */
public final class ModelProfiles {
  /** The provider with the profile that decisions use while nothing is configured. */
  static final String GEMINI = "gemini";

  private static final ModelLimits GEMINI_PRO = new ModelLimits(150, 1_000_000, 1_000);
  private static final ModelLimits GPT = new ModelLimits(500, 30_000, 0);
  private static final ModelLimits GPT_MINI = new ModelLimits(500, 200_000, 0);
  private static final ModelLimits CLAUDE = new ModelLimits(50, 40_000, 0);

  private static final Map<String, Map<String, ModelLimits>> BY_PROVIDER =
      Map.of(
          "openai",
          Map.of(
              "gpt-4o", GPT,
              "gpt-4-turbo", GPT,
              "o1", GPT,
              "gpt-4o-mini", GPT_MINI,
              "o1-mini", GPT_MINI,
              "o3-mini", GPT_MINI),
          "anthropic",
          Map.of(
              "claude-opus-4", CLAUDE,
              "claude-sonnet-4", CLAUDE,
              "claude-haiku-3.5", new ModelLimits(50, 50_000, 0)),
          GEMINI,
          Map.of(
              "gemini-3-pro-preview", GEMINI_PRO,
              "gemini-3-flash-preview", GEMINI_PRO,
              "gemini-2.5-pro", GEMINI_PRO,
              "gemini-2.0-flash", new ModelLimits(150, 1_000_000, 0),
              "gemini-2.0-flash-lite", ModelLimits.NONE),
          "local",
          Map.of());

  private ModelProfiles() {}

  /**
   * Returns the models of a provider's profile with their limits, or null when it has no profile.
   */
  static @Nullable Map<String, ModelLimits> of(String provider) {
    return BY_PROVIDER.get(provider);
  }
}
