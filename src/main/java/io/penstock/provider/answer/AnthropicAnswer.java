package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;

/**
 * Reads messages and the events of a streamed message. The position of a usage block tells its
 * meaning: inside {@code message} it opens a stream and states only the beginning of the output.
 */
public final class AnthropicAnswer implements AnswerVisitor {
  private final UsageMeter usageMeter = new UsageMeter(false);

  @Override
  public UsageMeter meter() {
    return usageMeter;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (isUsage(at, at.depth())) {
      usageMeter.beginBlock();
      if (array) {
        usageMeter.warn("the usage is not an object");
      }
    } else if (isInput(at)) {
      usageMeter.text(at.containerBytes());
    }
  }

  @Override
  public void close(JsonWalk at) {
    if (isUsage(at, at.depth())) {
      usageMeter.endBlock(at.depth() == 1);
    }
  }

  private static boolean isUsage(JsonWalk at, int depth) {
    return isOfTheWhole(at, depth, "usage");
  }

  /**
   * Returns whether a member describes the message as a whole; in the event that opens a stream,
   * such members are inside {@code message}.
   */
  private static boolean isOfTheWhole(JsonWalk at, int depth, String name) {
    return switch (depth) {
      case 1 -> name.equals(at.name(1));
      case 2 -> name.equals(at.name(2)) && "message".equals(at.name(1));
      default -> false;
    };
  }

  @Override
  public void scalar(JsonWalk at) {
    if (isUsage(at, at.depth())) {
      if (!at.isNull()) {
        usageMeter.warn("the usage is not an object");
      }
    } else if (isUsage(at, at.depth() - 1)) {
      usage(at);
    } else if (isOfTheWhole(at, at.depth(), "model")) {
      usageMeter.model(at);
    } else if (isInput(at)) {
      usageMeter.text(at.compactBytes());
    } else if (at.isString() && isText(at)) {
      usageMeter.text(at.utf8Bytes());
    }
  }

  private void usage(JsonWalk at) {
    String name = at.name();
    if (name == null) {
      return;
    }
    switch (name) {
      case "input_tokens" -> usageMeter.figure(UsageMeter.INPUT, at);
      case "cache_read_input_tokens" -> usageMeter.figure(UsageMeter.CACHE_READ, at);
      case "cache_creation_input_tokens" -> usageMeter.figure(UsageMeter.CACHE_WRITE, at);
      case "output_tokens" -> usageMeter.figure(UsageMeter.OUTPUT, at);
      default -> {}
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
          default -> false;
        };
    return block
        && switch (name) {
          case "text", "thinking", "partial_json", "name" -> true;
          default -> false;
        };
  }
}
