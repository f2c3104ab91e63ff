package io.penstock.provider.anthropic;

import io.penstock.json.JsonWalk;
import io.penstock.provider.answer.AnswerVisitor;
import io.penstock.provider.answer.UsageMeter;

/**
 * Reads messages, text completions, and the events of either as a stream. The position of a usage
 * block tells its meaning: inside {@code message} it opens a stream and states only the beginning
 * of the output.
 */
final class AnthropicAnswer extends AnswerVisitor {
  AnthropicAnswer() {
    super(new UsageMeter(false));
  }

  @Override
  protected void openContent(JsonWalk at) {
    if (isInput(at)) {
      usageMeter.text(at.containerBytes());
    }
  }

  @Override
  protected void closeUsage(JsonWalk at) {
    boolean last = at.depth() == 1;
    usageMeter.endBlock(last);
    if (last) {
      usageMeter.completeOutput();
    }
  }

  @Override
  protected boolean isUsage(JsonWalk at, int depth) {
    return isOfTheWhole(at, depth, "usage", "message")
        || (depth == 1 && "amazon-bedrock-invocationMetrics".equals(at.name(1)));
  }

  @Override
  protected boolean isModel(JsonWalk at) {
    return isOfTheWhole(at, at.depth(), "model", "message");
  }

  @Override
  protected void content(JsonWalk at) {
    if (isInput(at)) {
      usageMeter.text(at.compactBytes());
    } else if (at.isString() && isText(at)) {
      usageMeter.text(at.utf8Bytes());
    }
  }

  /**
   * Returns whether the position is below the {@code input} of a tool call in an unstreamed
   * message; streams carry this input as text.
   */
  private static boolean isInput(JsonWalk at) {
    return at.depth() > 3 && "input".equals(at.name(3)) && "content".equals(at.name(1));
  }

  private static boolean isText(JsonWalk at) {
    String name = at.name();
    String top = at.name(1);
    if (name == null || top == null) {
      return false;
    }
    boolean block =
        switch (top) {
          case "content" -> at.depth() == 3;
          case "content_block", "delta" -> at.depth() == 2;
          case "completion" -> at.depth() == 1;
          default -> false;
        };
    return block
        && switch (name) {
          case "text", "thinking", "partial_json", "name", "completion" -> true;
          default -> false;
        };
  }
}
