package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;

/**
 * Reads messages and the events they are streamed as. Where a usage block stands tells what it is:
 * inside {@code message} it opens a stream and its output is only a beginning.
 */
public final class AnthropicAnswer implements AnswerVisitor {
  private final Meter meter = new Meter(false);

  @Override
  public Meter meter() {
    return meter;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (isUsage(at, at.depth())) {
      meter.beginBlock();
      if (array) {
        meter.warn("the usage is not an object");
      }
    } else if (isInput(at)) {
      meter.text(at.containerBytes());
    }
  }

  @Override
  public void close(JsonWalk at) {
    if (isUsage(at, at.depth())) {
      meter.endBlock(at.depth() == 1);
    }
  }

  private static boolean isUsage(JsonWalk at, int depth) {
    return isOfTheWhole(at, depth, "usage");
  }

  /** In the event that opens a stream, what is said of all of it is inside the message. */
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
        meter.warn("the usage is not an object");
      }
    } else if (isUsage(at, at.depth() - 1)) {
      usage(at);
    } else if (isOfTheWhole(at, at.depth(), "model")) {
      meter.model(at);
    } else if (isInput(at)) {
      meter.text(at.compactBytes());
    } else if (at.isString() && isText(at)) {
      meter.text(at.utf8Bytes());
    }
  }

  private void usage(JsonWalk at) {
    String name = at.name();
    if (name == null) {
      return;
    }
    switch (name) {
      case "input_tokens" -> meter.figure(Meter.INPUT, at);
      case "cache_read_input_tokens" -> meter.figure(Meter.CACHE_READ, at);
      case "cache_creation_input_tokens" -> meter.figure(Meter.CACHE_WRITE, at);
      case "output_tokens" -> meter.figure(Meter.OUTPUT, at);
      default -> {}
    }
  }

  /** Below the {@code input} of a tool call in a whole message; streams carry it as text. */
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
