package io.penstock.house;

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
final class TidyRules {
  static final int METHOD_LINES = 60;
  static final int FILE_LINES = 400;
  static final int LINE_COLUMNS = 120;

  private static final Pattern UNNUMBERED = Pattern.compile("\\b(?:TODO|FIXME)\\b(?!\\(#\\d+\\))");
  private static final Pattern VAGUE_TYPE = Pattern.compile(".*(?:Utils?|Helpers?|Impl)");

  private TidyRules() {}

  /** Returns methods, constructors and initialisers longer than {@link #METHOD_LINES}. */
  static List<String> longMethods(Source source) {
    List<String> found = new ArrayList<>();
    new LongMethods(source, found).scan(source.tree(), null);
    return found;
  }

  /** Returns the file if it has more than {@link #FILE_LINES}. */
  static List<String> longFile(Source source) {
    long lines = source.text().lines().count();
    return lines <= FILE_LINES ? List.of() : List.of(source.path() + " has " + lines + " lines");
  }

  /** Returns lines longer than {@link #LINE_COLUMNS}. */
  static List<String> longLines(Source source) {
    List<String> found = new ArrayList<>();
    int number = 0;
    for (String line : source.text().lines().toList()) {
      number++;
      int columns = line.codePointCount(0, line.length());
      if (columns > LINE_COLUMNS) {
        found.add(source.path() + ":" + number + " has " + columns + " columns");
      }
    }
    return found;
  }

  /** Returns comments that postpone something without an issue number. */
  static List<String> unnumberedTodos(Source source) {
    List<String> found = new ArrayList<>();
    for (String comment : source.comments()) {
      if (UNNUMBERED.matcher(comment).find()) {
        found.add(source.path() + ": " + comment.strip());
      }
    }
    return found;
  }

  /** Returns catch blocks without a statement; a comment does not count as one. */
  static List<String> emptyCatches(Source source) {
    List<String> found = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitCatch(CatchTree node, Void unused) {
        if (node.getBlock().getStatements().isEmpty()) {
          found.add(source.path() + ":" + source.firstLine(node) + " catches and ignores");
        }
        return super.visitCatch(node, null);
      }
    }.scan(source.tree(), null);
    return found;
  }

  /** Returns types with meaningless names. */
  static List<String> vagueTypes(Source source) {
    List<String> found = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitClass(ClassTree node, Void unused) {
        if (VAGUE_TYPE.matcher(node.getSimpleName()).matches()) {
          found.add(source.path() + " names a type " + node.getSimpleName());
        }
        return super.visitClass(node, null);
      }
    }.scan(source.tree(), null);
    return found;
  }

  /** Measures bodies; a body nested in a measured one only counts as part of it. */
  private static final class LongMethods extends TreeScanner<Void, Void> {
    private final Source source;
    private final List<String> found;

    LongMethods(Source source, List<String> found) {
      this.source = source;
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
      long lines = source.lines(tree);
      if (lines <= METHOD_LINES) {
        return false;
      }
      found.add(
          "%s:%d: %s has %d lines".formatted(source.path(), source.firstLine(tree), what, lines));
      return true;
    }
  }
}
