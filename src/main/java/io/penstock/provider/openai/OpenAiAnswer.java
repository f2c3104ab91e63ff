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
  private static final String TIMINGS = "timings";

  private @Nullable String type;
  private long deltaBytes;
  private long input;
  private long output;

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
      input = UsageMeter.UNSTATED;
      output = UsageMeter.UNSTATED;
    }
  }

  @Override
  protected void closeContent(JsonWalk at) {
    if (at.depth() == 0) {
      // audio is not text, and a transcript of it is sent, too
      boolean sound = type != null && type.endsWith("audio.delta");
      usageMeter.text(sound ? 0 : deltaBytes);
      if (input != UsageMeter.UNSTATED || output != UsageMeter.UNSTATED) {
        usageMeter.beginBlock();
        usageMeter.figure(UsageMeter.INPUT, input);
        usageMeter.figure(UsageMeter.OUTPUT, output);
        usageMeter.endBlock(true);
      }
    }
  }

  /**
   * Returns whether the place is that of a usage block. Compatible servers have it in the choice,
   * in an object with what they add, or under another name.
   */
  @Override
  protected boolean isUsage(JsonWalk at, int depth) {
    String name = at.name(depth);
    if (name == null) {
      return false;
    }
    return switch (name) {
      case "usage" ->
          switch (depth) {
            case 1 -> true;
            case 2 -> isWrapper(String.valueOf(at.name(1)));
            case 3 -> "choices".equals(at.name(1)) && at.name(2) == null;
            default -> false;
          };
      case "meta" -> depth == 1 || (depth == 2 && "response".equals(at.name(1)));
      case TIMINGS, "meta_info", "amazon-bedrock-invocationMetrics" -> depth == 1;
      default -> false;
    };
  }

  /** Returns whether a member at the top holds the usage of the whole answer. */
  private static boolean isWrapper(String name) {
    return switch (name) {
      case "response", "x_groq", "result", "delta" -> true;
      default -> false;
    };
  }

  /** Times of a server say what it did not take from its cache, so a stated usage comes first. */
  @Override
  protected void closeUsage(JsonWalk at) {
    if (!TIMINGS.equals(at.name()) || !usageMeter.hasInput()) {
      super.closeUsage(at);
    }
    if (!choices) {
      usageMeter.completeOutput();
    }
  }

  @Override
  protected boolean isModel(JsonWalk at) {
    return isOfTheWhole(at, at.depth(), "model", "response");
  }

  @Override
  protected void content(JsonWalk at) {
    if (at.isString()) {
      text(at);
    } else if (at.isNumber() && (at.depth() == 1 || isResult(at))) {
      counted(at, String.valueOf(at.name()));
    }
  }

  private static boolean isResult(JsonWalk at) {
    return at.depth() == 3 && "results".equals(at.name(1));
  }

  /** Reads a member of an answer that states its usage without a block. */
  private void counted(JsonWalk at, String name) {
    switch (name) {
      case "prompt_eval_count", "tokens_evaluated", "input_token_count" ->
          input = usageMeter.tokens(at);
      case "eval_count", "tokens_predicted", "generated_token_count" ->
          output = usageMeter.tokens(at);
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
