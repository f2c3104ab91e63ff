package io.penstock.architecture;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rules over the text and the tree of one Java file; each returns the violations. */
final class StyleRules {
  static final int METHOD_LINES = 60;
  static final int FILE_LINES = 400;
  static final int LINE_COLUMNS = 120;

  private static final Pattern UNNUMBERED = Pattern.compile("\\b(?:TODO|FIXME)\\b(?!\\(#\\d+\\))");
  private static final Pattern VAGUE_TYPE = Pattern.compile(".*(?:Utils?|Helpers?|Impl)");

  private StyleRules() {}

  /** Returns methods, constructors and initialisers longer than {@link #METHOD_LINES}. */
  static List<String> longMethods(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    new LongMethods(checkedSource, found).scan(checkedSource.tree(), null);
    return found;
  }

  /** Returns the file if it has more than {@link #FILE_LINES}. */
  static List<String> longFile(CheckedSource checkedSource) {
    long lines = checkedSource.text().lines().count();
    return lines <= FILE_LINES
        ? List.of()
        : List.of(checkedSource.path() + " has " + lines + " lines");
  }

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

  /** Measures bodies; a body nested in a measured one only counts as part of it. */
  private static final class LongMethods extends TreeScanner<Void, Void> {
    private final CheckedSource checkedSource;
    private final List<String> found;

    LongMethods(CheckedSource checkedSource, List<String> found) {
      this.checkedSource = checkedSource;
      this.found = found;
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
      for (Tree member : node.getMembers()) {
        if (member instanceof BlockTree initialiser) {
          measure("an initialiser", initialiser);
        }
      }
      return super.visitClass(node, null);
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
      return measure("method " + node.getName(), node) ? null : super.visitMethod(node, null);
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree node, Void unused) {
      return measure("a lambda", node) ? null : super.visitLambdaExpression(node, null);
    }

    private boolean measure(String what, Tree tree) {
      long lines = checkedSource.lines(tree);
      if (lines <= METHOD_LINES) {
        return false;
      }
      found.add(
          "%s:%d: %s has %d lines"
              .formatted(checkedSource.path(), checkedSource.firstLine(tree), what, lines));
      return true;
    }
  }
}
