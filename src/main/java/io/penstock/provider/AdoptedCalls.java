package io.penstock.provider;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls that servers answer although another provider invented them: OpenAI's are answered by
 * nearly all, and some proxies answer everyone's.
 */
final class AdoptedCalls {
  /** Ends of paths under which OpenAI, Azure, Anthropic, Mistral, Gemini and Vertex AI do. */
  private static final List<String> BATCHES =
      List.of(
          "/batches",
          "/batch/jobs",
          ":batchGenerateContent",
          ":asyncBatchEmbedContent",
          "/batchPredictionJobs");

  private AdoptedCalls() {}

  /**
   * Returns the protocol that reads such a call, or null if it is not read; method and path as in
   * {@link ProviderProtocol#weighs}.
   */
  static @Nullable ProviderProtocol reader(String method, String path) {
    if (OpenAiProtocol.INSTANCE.weighs(method, path)) {
      return OpenAiProtocol.INSTANCE;
    }
    if (GeminiProtocol.INSTANCE.weighs(method, path)) {
      return GeminiProtocol.INSTANCE;
    }
    // other calls of OpenAI's end in /messages, too
    boolean anthropic =
        CallPaths.names(path, "/v1/messages") || CallPaths.names(path, "/v1/complete");
    return anthropic && AnthropicProtocol.INSTANCE.weighs(method, path)
        ? AnthropicProtocol.INSTANCE
        : null;
  }

  /** As {@link ProviderProtocol#startsBatch}, whichever provider the call is of. */
  static boolean startsBatch(String method, String path) {
    return method.equals("POST") && BATCHES.stream().anyMatch(call -> CallPaths.names(path, call));
  }
}
