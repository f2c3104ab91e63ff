package io.penstock.provider.openai;

import io.penstock.json.JsonWalk;
import io.penstock.provider.answer.AnswerVisitor;
import io.penstock.provider.answer.UsageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Reads chat and text completions, responses, and embeddings, whole or streamed as events. The
 * shape of an answer determines its kind, because an upstream may have paths of its own.
 */
final class OpenAiAnswer extends AnswerVisitor {
  private static final int MAX_TYPE_LENGTH = 128;

  private @Nullable String type;
  private long deltaBytes;

  /** Whether it is a chat or a completion, which may state its usage more than once. */
  private boolean choices;

  OpenAiAnswer() {
    super(new UsageMeter(true));
  }

  @Override
  protected void openContent(JsonWalk at) {
    if (at.depth() == 0) {
      type = null;
      deltaBytes = 0;
    }
  }

  @Override
  protected void closeContent(JsonWalk at) {
    if (at.depth() == 0) {
      // audio is not text, and a transcript of it is sent, too
      boolean sound = type != null && type.endsWith("audio.delta");
      usageMeter.text(sound ? 0 : deltaBytes);
    }
  }

  @Override
  protected void closeUsage(JsonWalk at) {
    super.closeUsage(at);
    if (!choices) {
      usageMeter.completeOutput();
    }
  }

  @Override
  protected boolean isUsage(JsonWalk at, int depth) {
    return isOfTheWhole(at, depth, "usage", "response");
  }

  @Override
  protected boolean isModel(JsonWalk at) {
    return isOfTheWhole(at, at.depth(), "model", "response");
  }

  @Override
  protected void figure(JsonWalk at, String name) {
    switch (name) {
      case "prompt_tokens", "input_tokens" -> usageMeter.figure(UsageMeter.INPUT, at);
      case "completion_tokens", "output_tokens" -> usageMeter.figure(UsageMeter.OUTPUT, at);
      case "total_tokens" -> usageMeter.figure(UsageMeter.TOTAL, at);
      default -> {}
    }
  }

  @Override
  protected void content(JsonWalk at) {
    if (isUsage(at, at.depth() - 2)) {
      detail(at, at.depth());
    } else if (at.isString()) {
      text(at);
    }
  }

  private void detail(JsonWalk at, int depth) {
    String name = at.name();
    String of = at.name(depth - 1);
    if (name == null || of == null) {
      return;
    }
    switch (of) {
      case "prompt_tokens_details", "input_tokens_details", "input_token_details" -> {
        if (name.equals("cached_tokens")) {
          usageMeter.figure(UsageMeter.CACHE_READ, at);
        } else if (name.equals("cache_write_tokens")) {
          usageMeter.figure(UsageMeter.CACHE_WRITE, at);
        }
      }
      case "completion_tokens_details", "output_tokens_details" -> {
        if (name.equals("reasoning_tokens")) {
          usageMeter.figure(UsageMeter.REASONING, at);
        }
      }
      default -> {}
    }
  }

  private void text(JsonWalk at) {
    String top = at.name(1);
    String name = at.name();
    if (top == null) {
      return;
    }
    switch (top) {
      case "type" -> {
        if (at.depth() == 1) {
          type = at.isAtMost(MAX_TYPE_LENGTH) ? at.text() : null;
        }
      }
      case "delta" -> deltaBytes += at.depth() == 1 ? at.utf8Bytes() : 0;
      case "choices" -> choice(at, name);
      case "output" -> usageMeter.text(isItem(at, name) ? at.utf8Bytes() : 0);
      default -> {}
    }
  }

  private void choice(JsonWalk at, @Nullable String name) {
    choices = true;
    if (at.depth() == 3 && at.isString() && "finish_reason".equals(name)) {
      usageMeter.completeOutput();
    } else {
      usageMeter.text(name != null && isChoice(at, name) ? at.utf8Bytes() : 0);
    }
  }

  /** Returns whether the position holds output, for positions below {@code choices[]}. */
  private static boolean isChoice(JsonWalk at, String name) {
    String message = at.name(3);
    if (at.depth() == 3) {
      return name.equals("text");
    }
    if (!("message".equals(message) || "delta".equals(message))) {
      return false;
    }
    String part = at.name(4);
    return switch (at.depth()) {
      case 4 ->
          switch (name) {
            case "content", "refusal", "reasoning_content", "reasoning" -> true;
            default -> false;
          };
      case 5 ->
          switch (name) {
            case "name", "arguments" -> "function_call".equals(part);
            case "transcript" -> "audio".equals(part);
            default -> false;
          };
      case 6 -> "content".equals(part) && (name.equals("text") || name.equals("refusal"));
      case 7 ->
          "tool_calls".equals(part)
              && switch (name) {
                case "name", "arguments", "input" -> true;
                default -> false;
              };
      // Mistral's models that reason put their thoughts into a part of the content
      case 8 -> "content".equals(part) && "thinking".equals(at.name(6)) && name.equals("text");
      default -> false;
    };
  }

  /**
   * Returns whether the position holds output, for positions below {@code output[]} of a whole
   * response. In a stream these positions are inside {@code response} or {@code item}, and repeat
   * output that was already sent in pieces.
   */
  private static boolean isItem(JsonWalk at, @Nullable String name) {
    String part = at.name(3);
    if (part == null || name == null) {
      return false;
    }
    return switch (at.depth()) {
      case 3 ->
          switch (name) {
            case "name", "arguments", "input", "code" -> true;
            default -> false;
          };
      case 5 ->
          (part.equals("content") || part.equals("summary"))
              && switch (name) {
                case "text", "refusal", "transcript" -> true;
                default -> false;
              };
      default -> false;
    };
  }
}
