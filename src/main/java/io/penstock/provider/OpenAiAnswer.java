package io.penstock.provider;

/** Reads chat completions, their chunks, and embeddings. */
final class OpenAiAnswer implements AnswerVisitor {
  private final Meter meter = new Meter(true);

  @Override
  public Meter meter() {
    return meter;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (isUsage(at)) {
      meter.beginBlock();
      if (array) {
        meter.warn("the usage is not an object");
      }
    }
  }

  @Override
  public void close(JsonWalk at) {
    if (isUsage(at)) {
      meter.endBlock(true);
    }
  }

  private static boolean isUsage(JsonWalk at) {
    return at.depth() == 1 && "usage".equals(at.name());
  }

  @Override
  public void scalar(JsonWalk at) {
    String top = at.name(1);
    if ("usage".equals(top)) {
      usage(at);
    } else if ("choices".equals(top) && at.isString() && isText(at)) {
      meter.text(at.utf8Bytes());
    }
  }

  private void usage(JsonWalk at) {
    String name = at.name();
    if (name == null) {
      return;
    }
    switch (at.depth()) {
      case 1 -> {
        if (!at.isNull()) {
          meter.warn("the usage is not an object");
        }
      }
      case 2 -> {
        if (name.equals("prompt_tokens")) {
          meter.figure(Meter.INPUT, at);
        } else if (name.equals("completion_tokens")) {
          meter.figure(Meter.OUTPUT, at);
        }
      }
      case 3 -> {
        if (name.equals("cached_tokens") && "prompt_tokens_details".equals(at.name(2))) {
          meter.figure(Meter.CACHE_READ, at);
        }
      }
      default -> {}
    }
  }

  /** The places below {@code choices[].message} and {@code choices[].delta} that hold output. */
  private static boolean isText(JsonWalk at) {
    String message = at.name(3);
    String name = at.name();
    if (name == null || !("message".equals(message) || "delta".equals(message))) {
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
      default -> false;
    };
  }
}
