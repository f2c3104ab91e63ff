package io.penstock.provider.gemini;

import io.penstock.json.JsonWalk;
import io.penstock.provider.answer.AnswerVisitor;
import io.penstock.provider.answer.UsageMeter;

/**
 * Reads generated content and the parts of streamed content: each part states the usage so far, and
 * the last statement counts. Answers with vectors state only their input, or nothing.
 *
 * <p>The stated prompt tokens include those from the cache, but not those of the model's own tools;
 * thoughts are output in addition to the candidates. Source: Gemini API reference, {@code
 * UsageMetadata}.
 */
final class GeminiAnswer extends AnswerVisitor {
  private long prompt;
  private long tools;
  private long candidates;
  private long thoughts;
  private long total;

  GeminiAnswer() {
    super(new UsageMeter(true));
  }

  @Override
  protected void openContent(JsonWalk at) {
    if (isFunction(at)) {
      usageMeter.text(at.containerBytes());
    }
  }

  @Override
  protected void openUsage() {
    prompt = UsageMeter.UNSTATED;
    tools = UsageMeter.UNSTATED;
    candidates = UsageMeter.UNSTATED;
    thoughts = UsageMeter.UNSTATED;
    total = UsageMeter.UNSTATED;
  }

  @Override
  protected void closeUsage(JsonWalk at) {
    long input = sum(prompt, prompt == UsageMeter.UNSTATED ? UsageMeter.UNSTATED : tools);
    long output = sum(candidates, thoughts);
    usageMeter.figure(UsageMeter.INPUT, input);
    usageMeter.figure(UsageMeter.OUTPUT, output);
    usageMeter.figure(UsageMeter.REASONING, thoughts);
    usageMeter.figure(UsageMeter.TOTAL, total);
    super.closeUsage(at);
  }

  /** Returns the sum of those of the two values that are stated. */
  private static long sum(long one, long other) {
    return one == UsageMeter.UNSTATED || other == UsageMeter.UNSTATED
        ? Math.max(one, other)
        : one + other;
  }

  @Override
  protected boolean isUsage(JsonWalk at, int depth) {
    return isOfTheWhole(at, depth, "usageMetadata", "response");
  }

  @Override
  protected boolean isModel(JsonWalk at) {
    return isOfTheWhole(at, at.depth(), "modelVersion", "response");
  }

  @Override
  protected void content(JsonWalk at) {
    if (isFunction(at)) {
      usageMeter.text(at.compactBytes());
    } else if (at.isString() && isText(at)) {
      usageMeter.text(at.utf8Bytes());
    } else if (isEnd(at)) {
      usageMeter.completeOutput();
    }
  }

  private static boolean isEnd(JsonWalk at) {
    return at.depth() == 3
        && at.isString()
        && "finishReason".equals(at.name())
        && "candidates".equals(at.name(1));
  }

  @Override
  protected void figure(JsonWalk at, String name) {
    switch (name) {
      case "promptTokenCount" -> prompt = usageMeter.tokens(at);
      case "toolUsePromptTokenCount" -> tools = usageMeter.tokens(at);
      case "candidatesTokenCount", "responseTokenCount" -> candidates = usageMeter.tokens(at);
      case "thoughtsTokenCount" -> thoughts = usageMeter.tokens(at);
      case "totalTokenCount" -> total = usageMeter.tokens(at);
      case "cachedContentTokenCount" -> usageMeter.figure(UsageMeter.CACHE_READ, at);
      default -> {}
    }
  }

  @Override
  protected void detail(JsonWalk at, String of, String name) {}

  /** Returns whether the position is below {@code candidates[].content.parts[]}. */
  private static boolean isPart(JsonWalk at) {
    return at.depth() > 5
        && "candidates".equals(at.name(1))
        && "content".equals(at.name(3))
        && "parts".equals(at.name(4));
  }

  /** Returns whether the position is in a function call, which the model wrote as JSON. */
  private static boolean isFunction(JsonWalk at) {
    return isPart(at) && "functionCall".equals(at.name(6));
  }

  private static boolean isText(JsonWalk at) {
    String name = at.name();
    String part = isPart(at) ? at.name(6) : null;
    if (name == null || part == null) {
      return false;
    }
    return switch (part) {
      case "text" -> at.depth() == 6;
      case "executableCode" -> name.equals("code");
      case "codeExecutionResult" -> name.equals("output");
      default -> false;
    };
  }
}
