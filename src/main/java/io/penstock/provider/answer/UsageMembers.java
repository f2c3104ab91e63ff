package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;

/**
 * Names of the members of a usage block, as servers with answers like OpenAI's or Anthropic's write
 * them. The page about members of usage says which server uses which name.
 */
final class UsageMembers {
  private UsageMembers() {}

  /** Reads a member of a usage block. */
  static void read(UsageMeter usageMeter, JsonWalk at, String name) {
    switch (name) {
      case "prompt_tokens" -> {
        usageMeter.figure(UsageMeter.INPUT, at);
        usageMeter.inputHoldsCache();
      }
      case "input_tokens", "inputTokens", "inputTokenCount", "prompt_n" ->
          usageMeter.figure(UsageMeter.INPUT, at);
      case "completion_tokens",
          "output_tokens",
          "outputTokens",
          "outputTokenCount",
          "predicted_n" ->
          usageMeter.figure(UsageMeter.OUTPUT, at);
      case "total_tokens", "totalTokens" -> usageMeter.figure(UsageMeter.TOTAL, at);
      case "cached_tokens", "prompt_cache_hit_tokens" ->
          usageMeter.figure(UsageMeter.CACHE_READ, at);
      case "cache_read_input_tokens",
          "cacheReadInputTokens",
          "cacheReadInputTokenCount",
          "cache_n" -> {
        usageMeter.figure(UsageMeter.CACHE_READ, at);
        usageMeter.cacheIsApart();
      }
      case "cache_creation_input_tokens", "cacheWriteInputTokens", "cacheWriteInputTokenCount" -> {
        usageMeter.figure(UsageMeter.CACHE_WRITE, at);
        usageMeter.cacheIsApart();
      }
      case "reasoning_tokens" -> usageMeter.figure(UsageMeter.REASONING, at);
      case "citation_tokens" -> usageMeter.figure(UsageMeter.INPUT_APART, at);
      default -> {}
    }
  }

  /** Reads a member of the object {@code of} in a usage block. */
  static void detail(UsageMeter usageMeter, JsonWalk at, String of, String name) {
    switch (of) {
      case "prompt_tokens_details", "input_tokens_details", "input_token_details" -> {
        switch (name) {
          case "cached_tokens" -> usageMeter.figure(UsageMeter.CACHE_READ, at);
          case "cache_write_tokens" -> usageMeter.figure(UsageMeter.CACHE_WRITE, at);
          default -> {}
        }
      }
      case "completion_tokens_details", "output_tokens_details" -> {
        if (name.equals("reasoning_tokens")) {
          usageMeter.figure(UsageMeter.REASONING, at);
        }
      }
      case "cache_creation" -> {
        switch (name) {
          case "ephemeral_5m_input_tokens" -> usageMeter.figure(UsageMeter.CACHE_WRITE_SHORT, at);
          case "ephemeral_1h_input_tokens" -> usageMeter.figure(UsageMeter.CACHE_WRITE_HOUR, at);
          default -> {}
        }
      }
      case "tokens", "billed_units" -> {
        switch (name) {
          case "input_tokens" -> usageMeter.figure(UsageMeter.INPUT, at);
          case "output_tokens" -> usageMeter.figure(UsageMeter.OUTPUT, at);
          default -> {}
        }
      }
      default -> {}
    }
  }
}
