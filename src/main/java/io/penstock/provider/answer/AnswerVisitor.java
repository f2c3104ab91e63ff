package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;

/**
 * Finds usage and output text in a provider's answers, and adds them to a meter. A subclass knows
 * the places where its provider states them.
 */
public abstract class AnswerVisitor implements JsonWalk.Visitor {
  protected final UsageMeter usageMeter;

  protected AnswerVisitor(UsageMeter usageMeter) {
    this.usageMeter = usageMeter;
  }

  /** Returns whether the first {@code depth} levels of the walk's place lead to a usage block. */
  protected abstract boolean isUsage(JsonWalk at, int depth);

  /** Returns whether the walk's place holds the name of the model. */
  protected abstract boolean isModel(JsonWalk at);

  /** Reads one figure of a usage block. */
  protected abstract void figure(JsonWalk at, String name);

  /** Reads a value that is neither the model nor directly in a usage block. */
  protected abstract void content(JsonWalk at);

  /** Begins an object or array that is not a usage block. */
  protected void openContent(JsonWalk at) {}

  /** Ends an object or array that is not a usage block. */
  protected void closeContent(JsonWalk at) {}

  /** Begins a usage block. */
  protected void openUsage() {}

  /** Ends a usage block. */
  protected void closeUsage(JsonWalk at) {
    usageMeter.endBlock(true);
  }

  @Override
  public final void open(JsonWalk at, boolean array) {
    if (isUsage(at, at.depth())) {
      usageMeter.beginBlock();
      openUsage();
      if (array) {
        usageMeter.warn("the usage is not an object");
      }
    } else {
      openContent(at);
    }
  }

  @Override
  public final void close(JsonWalk at) {
    if (isUsage(at, at.depth())) {
      closeUsage(at);
    } else {
      closeContent(at);
    }
  }

  @Override
  public final void scalar(JsonWalk at) {
    String name = at.name();
    if (isUsage(at, at.depth())) {
      if (!at.isNull()) {
        usageMeter.warn("the usage is not an object");
      }
    } else if (isUsage(at, at.depth() - 1)) {
      if (name != null) {
        figure(at, name);
      }
    } else if (isModel(at)) {
      usageMeter.model(at);
    } else {
      content(at);
    }
  }

  /**
   * Returns whether a member describes the answer as a whole: it is at the top, or in the object
   * {@code whole} of an event.
   */
  protected static boolean isOfTheWhole(JsonWalk at, int depth, String name, String whole) {
    return switch (depth) {
      case 1 -> name.equals(at.name(1));
      case 2 -> name.equals(at.name(2)) && whole.equals(at.name(1));
      default -> false;
    };
  }
}
