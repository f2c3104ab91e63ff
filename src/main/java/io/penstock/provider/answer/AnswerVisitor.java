package io.penstock.provider.answer;

import io.penstock.json.JsonWalk;

/**
 * Finds usage and output text in a provider's answers, and adds them to a meter. A subclass knows
 * the places where its provider, and servers that are compatible with it, state them. The page
 * about members of usage lists these places.
 */
public abstract class AnswerVisitor implements JsonWalk.Visitor {
  private static final int OUTSIDE = -1;

  /** Member of a usage block with the parts of which the billed amounts are the sums. */
  private static final String PARTS = "iterations";

  protected final UsageMeter usageMeter;
  final ErrorFinder errorFinder = new ErrorFinder();

  /** The level of the usage block that is being read. */
  private int block = OUTSIDE;

  protected AnswerVisitor(UsageMeter usageMeter) {
    this.usageMeter = usageMeter;
  }

  /** Returns whether the first {@code depth} levels of the walk's place lead to a usage block. */
  protected abstract boolean isUsage(JsonWalk at, int depth);

  /** Returns whether the walk's place holds the name of the model. */
  protected abstract boolean isModel(JsonWalk at);

  /** Reads one figure of a usage block. */
  protected void figure(JsonWalk at, String name) {
    UsageMembers.read(usageMeter, at, name);
  }

  /** Reads a figure in the object {@code of} in a usage block. */
  protected void detail(JsonWalk at, String of, String name) {
    UsageMembers.detail(usageMeter, at, of, name);
  }

  /** Reads a value that is neither the model nor in a usage block. */
  protected abstract void content(JsonWalk at);

  /** Begins an object or array that is not in a usage block. */
  protected void openContent(JsonWalk at) {}

  /** Ends an object or array that is not in a usage block. */
  protected void closeContent(JsonWalk at) {}

  /** Begins a usage block. */
  protected void openUsage() {}

  /** Ends a usage block. */
  protected void closeUsage(JsonWalk at) {
    usageMeter.endBlock(true);
  }

  @Override
  public final void open(JsonWalk at, boolean array) {
    if (at.depth() == 0) {
      block = OUTSIDE; // the document before may have ended inside its usage
      errorFinder.begin();
    }
    if (block == OUTSIDE && errorFinder.open(at, array)) {
      return;
    }
    if (block != OUTSIDE) {
      if (isPart(at)) {
        usageMeter.beginPart();
      }
    } else if (isUsage(at, at.depth())) {
      block = at.depth();
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
    if (block == OUTSIDE && errorFinder.close(at)) {
      return;
    }
    if (block == OUTSIDE) {
      closeContent(at);
    } else if (block == at.depth()) {
      block = OUTSIDE;
      closeUsage(at);
    } else if (isPart(at)) {
      usageMeter.endPart();
    }
  }

  /** Returns whether the walk is at a part of the usage block. */
  private boolean isPart(JsonWalk at) {
    return at.depth() == block + 2 && PARTS.equals(at.name(block + 1));
  }

  @Override
  public final void scalar(JsonWalk at) {
    if (block != OUTSIDE) {
      member(at, PARTS.equals(at.name(block + 1)) ? block + 2 : block);
    } else if (errorFinder.scalar(at)) {
      return;
    } else if (isUsage(at, at.depth())) {
      String name = at.name();
      if (!at.isNull() && name != null && name.startsWith("usage")) {
        usageMeter.warn("the usage is not an object");
      }
    } else if (isModel(at)) {
      usageMeter.model(at);
    } else {
      content(at);
    }
  }

  @Override
  public final boolean keeps(JsonWalk at) {
    return block == OUTSIDE && errorFinder.keeps(at);
  }

  /** Reads a value in the object at {@code level}, which is the usage block or a part of it. */
  private void member(JsonWalk at, int level) {
    String name = at.name();
    String of = at.name(level + 1);
    if (name == null || of == null) {
      return;
    }
    if (at.depth() == level + 1) {
      figure(at, name);
    } else if (at.depth() == level + 2) {
      detail(at, of, name);
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
