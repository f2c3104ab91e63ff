package io.penstock.architecture;

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules over the text and the tree of one Java file; each returns the violations. */
final class StyleRules {
  static final int LINE_COLUMNS = 120;

  private static final Pattern UNNUMBERED = Pattern.compile("\\b(?:TODO|FIXME)\\b(?!\\(#\\d+\\))");
  private static final Pattern VAGUE_TYPE = Pattern.compile(".*(?:Utils?|Helpers?|Impl)");

  /** A sentence, from its beginning to its full stop. */
  private static final Pattern INVERTED =
      Pattern.compile("(?<=[.!?] |<p>|/\\*\\* |/\\*\\*)(?:What|Who|Whom|Whose|Of)\\b[^.?]*\\.");

  private StyleRules() {}

  /** Returns lines longer than {@link #LINE_COLUMNS}. */
  static List<String> longLines(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    int number = 0;
    for (String line : checkedSource.text().lines().toList()) {
      number++;
      int columns = line.codePointCount(0, line.length());
      if (columns > LINE_COLUMNS) {
        found.add(checkedSource.path() + ":" + number + " has " + columns + " columns");
      }
    }
    return found;
  }

  /** Returns comments that postpone something without an issue number. */
  static List<String> unnumberedTodos(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    for (String comment : checkedSource.comments()) {
      if (UNNUMBERED.matcher(comment).find()) {
        found.add(checkedSource.path() + ": " + comment.strip());
      }
    }
    return found;
  }

  /** Returns catch blocks without a statement; a comment does not count as one. */
  static List<String> emptyCatches(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitCatch(CatchTree node, Void unused) {
        if (node.getBlock().getStatements().isEmpty()) {
          found.add(
              checkedSource.path() + ":" + checkedSource.firstLine(node) + " catches and ignores");
        }
        return super.visitCatch(node, null);
      }
    }.scan(checkedSource.tree(), null);
    return found;
  }

  /**
   * Returns Javadoc sentences that begin like a question without being one: they are read twice.
   */
  static List<String> invertedSentences(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    for (String comment : checkedSource.comments()) {
      if (comment.startsWith("/**")) {
        String text = comment.replaceAll("(?m)^\\s*\\*+", " ").replaceAll("\\s+", " ");
        Matcher matcher = INVERTED.matcher(text);
        while (matcher.find()) {
          found.add(checkedSource.path() + ": " + matcher.group().strip());
        }
      }
    }
    return found;
  }

  /** Returns types with meaningless names. */
  static List<String> vagueTypes(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitClass(ClassTree node, Void unused) {
        if (VAGUE_TYPE.matcher(node.getSimpleName()).matches()) {
          found.add(checkedSource.path() + " names a type " + node.getSimpleName());
        }
        return super.visitClass(node, null);
      }
    }.scan(checkedSource.tree(), null);
    return found;
  }
}
