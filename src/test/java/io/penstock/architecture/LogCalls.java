package io.penstock.architecture;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The calls in a source file that write to the log, each with category, level and text as far as
 * these are literals.
 */
final class LogCalls extends TreeScanner<@Nullable Void, @Nullable Void> {
  private static final Pattern LEVEL = Pattern.compile("(?:at)?(trace|debug|info|warn|error)");
  private static final String COMPUTED = "<computed>";

  private final String path;
  private final List<String> categories = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();

  private LogCalls(String path) {
    this.path = path;
  }

  /** Returns a line for each call, with category, level and text. */
  static List<String> of(CheckedSource checkedSource) {
    LogCalls found = read(checkedSource);
    return found.calls.stream().map(call -> found.category() + " " + call).toList();
  }

  /** Returns the categories that the file writes to, none or one. */
  static List<String> categories(CheckedSource checkedSource) {
    return read(checkedSource).categories;
  }

  private static LogCalls read(CheckedSource checkedSource) {
    LogCalls found = new LogCalls(checkedSource.path());
    found.scan(checkedSource.tree(), null);
    return found;
  }

  private String category() {
    if (categories.size() != 1) {
      throw new IllegalStateException(path + " has the loggers " + categories + ", expected one");
    }
    return categories.getFirst();
  }

  @Override
  public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void unused) {
    if (call.getMethodSelect() instanceof MemberSelectTree method) {
      String name = method.getIdentifier().toString();
      if (name.equals("getLogger")) {
        categories.add(text(call.getArguments().getFirst()));
      } else if (isLogger(method.getExpression())) {
        level(name).ifPresent(level -> calls.add(level + " " + message(call)));
      }
    }
    return super.visitMethodInvocation(call, null);
  }

  @Override
  public @Nullable Void visitMemberReference(MemberReferenceTree method, @Nullable Void unused) {
    if (isLogger(method.getQualifierExpression())) {
      level(method.getName().toString()).ifPresent(level -> calls.add(level + " " + COMPUTED));
    }
    return super.visitMemberReference(method, null);
  }

  private static boolean isLogger(ExpressionTree receiver) {
    return switch (receiver) {
      case IdentifierTree name -> name.getName().contentEquals("LOG");
      case MethodInvocationTree call ->
          call.getMethodSelect() instanceof MemberSelectTree made
              && made.getIdentifier().contentEquals("getLogger");
      default -> false;
    };
  }

  private static Optional<String> level(String method) {
    Matcher level = LEVEL.matcher(method.toLowerCase(Locale.ROOT));
    if (level.matches()) {
      return Optional.of(level.group(1).toUpperCase(Locale.ROOT));
    }
    return method.equals("atLevel") ? Optional.of(COMPUTED) : Optional.empty();
  }

  private static String message(MethodInvocationTree call) {
    return call.getArguments().isEmpty() ? COMPUTED : text(call.getArguments().getFirst());
  }

  private static String text(ExpressionTree expression) {
    return switch (expression) {
      case LiteralTree literal -> String.valueOf(literal.getValue()).replace("\n", "\\n");
      case BinaryTree sum -> text(sum.getLeftOperand()) + text(sum.getRightOperand());
      case ParenthesizedTree inner -> text(inner.getExpression());
      case ConditionalExpressionTree either ->
          text(either.getTrueExpression()) + " | " + text(either.getFalseExpression());
      default -> COMPUTED;
    };
  }
}
