package io.penstock.config;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * An error of the YAML parser, in words for somebody who does not know the parser.
 *
 * @param mark the place to look at, or null if it is unknown
 * @param message what is wrong and what was expected
 */
record YamlProblem(@Nullable Mark mark, String message) {
  /** Explains an error in {@code text}; one that is not known keeps the parser's words. */
  static YamlProblem of(MarkedYAMLException e, String text) {
    String problem = String.valueOf(e.getProblem());
    String context = e.getContext() == null ? "" : e.getContext();
    Mark at = e.getProblemMark();
    Mark start = e.getContextMark() == null ? at : e.getContextMark();
    if (problem.contains("(TAB)")) {
      return new YamlProblem(at, "a tab, expected spaces for indentation");
    }
    if (problem.contains("<block end>")) {
      return new YamlProblem(at, blockEnd(at, start, context, text));
    }
    if (problem.contains("mapping values are not allowed")) {
      return new YamlProblem(
          at,
          "a colon inside a value, expected the line indented as far as the one above it, or quotes"
              + " around a value with a colon");
    }
    if (context.contains("quoted scalar")) {
      return new YamlProblem(start, "a quote is opened here and never closed, expected its end");
    }
    if (context.contains("parsing a flow")) {
      return new YamlProblem(
          start, "a bracket or brace is opened here and not closed, expected its end");
    }
    if (context.contains("scanning an alias") || context.contains("scanning an anchor")) {
      return new YamlProblem(
          start,
          "a value begins with * or &, which mean something in YAML, expected quotes around it");
    }
    if (problem.contains("another document")) {
      return new YamlProblem(at, "a second document begins here, expected one in each file");
    }
    return new YamlProblem(at, problem + (context.isEmpty() ? "" : " " + context));
  }

  private static String blockEnd(
      @Nullable Mark at, @Nullable Mark start, String context, String text) {
    if (at == null || start == null || !firstInLine(at, text)) {
      return "a value goes on after its end, expected quotes around all of it";
    }
    if (context.contains("block collection") && at.getColumn() == start.getColumn()) {
      return "a line where a dash of the list from line %d was to come, expected a dash, or the line"
              .formatted(start.getLine() + 1)
          + " indented as far as the text behind the dash above it";
    }
    return "a line that does not continue the block from line %d, expected it indented like the other"
            .formatted(start.getLine() + 1)
        + " lines of its block";
  }

  private static boolean firstInLine(Mark at, String text) {
    return text.lines()
        .skip(at.getLine())
        .findFirst()
        .filter(line -> line.offsetByCodePoints(0, at.getColumn()) <= indentation(line))
        .isPresent();
  }

  private static int indentation(String line) {
    return line.length() - line.stripLeading().length();
  }
}
