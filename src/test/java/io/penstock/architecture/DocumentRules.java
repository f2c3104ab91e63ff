package io.penstock.architecture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Rules over Markdown documents; each returns the violations. */
final class DocumentRules {
  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern CODE_SPAN = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern ADDRESS = Pattern.compile("[a-z]+:.*");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*?) *$");
  private static final Pattern TEST_CLASS =
      Pattern.compile("\\b[A-Z]\\w*[a-z0-9](?:Test|IT|Figures)\\b");
  private static final Pattern PATH =
      Pattern.compile("(?<![\\w./-])(?:src|k8s|routes|load-tests/src)/[\\w./-]*\\w");

  private DocumentRules() {}

  /** Returns links to files of this repository, or to headings in them, that do not exist. */
  static List<String> brokenLinks(Path document, String text, Function<Path, String> texts) {
    List<String> found = new ArrayList<>();
    for (String link : links(text)) {
      int hash = link.indexOf('#');
      String file = hash < 0 ? link : link.substring(0, hash);
      Path target = file.isEmpty() ? document : resolve(document, file);
      if (!Files.exists(target) && !target.equals(document)) {
        found.add(document + " links to " + link + ", and there is no such file");
      } else if (hash >= 0) {
        String there = target.equals(document) ? text : texts.apply(target);
        if (!anchors(there).contains(link.substring(hash + 1))) {
          found.add(document + " links to " + link + ", and there is no such heading");
        }
      }
    }
    return found;
  }

  /** Returns the targets of all links that are no addresses. */
  static List<String> links(String text) {
    String prose = CODE_SPAN.matcher(CODE_BLOCK.matcher(text).replaceAll("")).replaceAll("``");
    return LINK.matcher(prose)
        .results()
        .map(link -> link.group(1))
        .filter(link -> !ADDRESS.matcher(link).matches())
        .toList();
  }

  static Path resolve(Path document, String link) {
    Path directory = Objects.requireNonNullElse(document.getParent(), Path.of(""));
    return directory.resolve(link).normalize();
  }

  /** Returns the anchors of all headings; a heading that occurs again gets a number. */
  private static Set<String> anchors(String text) {
    Set<String> anchors = new HashSet<>();
    for (MatchResult heading :
        HEADING.matcher(CODE_BLOCK.matcher(text).replaceAll("")).results().toList()) {
      String anchor =
          heading
              .group(1)
              .replaceAll("\\]\\([^)]*\\)", "]")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}_ -]", "")
              .replace(' ', '-');
      String numbered = anchor;
      for (int again = 1; !anchors.add(numbered); again++) {
        numbered = anchor + "-" + again;
      }
    }
    return anchors;
  }

  /** Returns classes of tests that the document names and that do not exist. */
  static List<String> unknownTests(Path document, String text, Set<String> tests) {
    return TEST_CLASS
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(name -> !tests.contains(name))
        .map(name -> document + " names " + name + ", and there is no such test")
        .toList();
  }

  /** Returns paths of this repository that the document names and that do not exist. */
  static List<String> unknownPaths(Path document, String text) {
    String prose = LINK.matcher(CODE_BLOCK.matcher(text).replaceAll("")).replaceAll("]()");
    return PATH.matcher(prose)
        .results()
        .map(MatchResult::group)
        .filter(path -> !Files.exists(Path.of(path)))
        .map(path -> document + " names " + path + ", and there is no such file")
        .toList();
  }
}
