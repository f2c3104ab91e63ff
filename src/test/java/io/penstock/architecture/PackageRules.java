package io.penstock.architecture;

import com.sun.source.tree.ImportTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules over packages in the source tree; each returns the violations. */
final class PackageRules {
  private static final Set<String> VAGUE =
      Set.of("util", "utils", "common", "helper", "helpers", "impl", "service", "dto");

  /** A Javadoc comment, the annotation and the package; the group is the comment. */
  private static final Pattern PACKAGE_INFO =
      Pattern.compile("/\\*\\*((?:(?!\\*/)[\\s\\S])*+)\\*/\\s*@NullMarked\\s+package\\s[\\s\\S]*");

  private static final Pattern OUR_PACKAGE = Pattern.compile("io\\.penstock(?:\\.[a-z]\\w*)*");

  private PackageRules() {}

  /** Returns packages with meaningless names. */
  static List<String> vaguePackages(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    for (String segment : checkedSource.packageName().split("\\.", -1)) {
      if (VAGUE.contains(segment)) {
        found.add(checkedSource.path() + " is in a package called " + segment);
      }
    }
    return found;
  }

  /** Returns files of either tree in packages that are missing from the table. */
  static List<String> unknownPackages(CheckedSource checkedSource) {
    String name = checkedSource.packageName();
    boolean testOnly =
        !checkedSource.main()
            && LayerTable.TEST_ONLY.stream().anyMatch(own -> name.equals("io.penstock." + own));
    return LayerTable.known(name) || testOnly
        ? List.of()
        : List.of(
            checkedSource.path() + " is in " + name + ", which is not in the table of packages");
  }

  /**
   * Returns imports that the table does not allow. Compiled classes alone do not show them all,
   * because the compiler copies constants without their origin.
   */
  static List<String> forbiddenImports(CheckedSource checkedSource) {
    List<String> found = new ArrayList<>();
    if (!checkedSource.main()) {
      return found;
    }
    for (ImportTree imported : checkedSource.tree().getImports()) {
      String name = imported.getQualifiedIdentifier().toString();
      Matcher matcher = OUR_PACKAGE.matcher(name);
      if (LayerTable.ours(name)
          && matcher.lookingAt()
          && !LayerTable.mayImport(checkedSource.packageName(), matcher.group())) {
        found.add(checkedSource.path() + " imports " + name);
      }
    }
    return found;
  }

  /**
   * Returns packages of the program without a package-info that is null-marked and has one
   * sentence.
   */
  static List<String> undescribedPackages(List<CheckedSource> sources) {
    Set<String> undescribed = new TreeSet<>();
    for (CheckedSource checkedSource : sources) {
      if (checkedSource.main()) {
        undescribed.add(checkedSource.packageName());
      }
    }
    for (CheckedSource checkedSource : sources) {
      if (checkedSource.main()
          && checkedSource.path().endsWith("/package-info.java")
          && described(checkedSource)) {
        undescribed.remove(checkedSource.packageName());
      }
    }
    return List.copyOf(undescribed);
  }

  private static boolean described(CheckedSource checkedSource) {
    Matcher matcher = PACKAGE_INFO.matcher(checkedSource.text());
    return matcher.matches() && oneSentence(matcher.group(1).replaceAll("(?m)^\\s*\\*", ""));
  }

  private static boolean oneSentence(String comment) {
    String words = comment.strip().replaceAll("\\s+", " ");
    return words.length() > 1 && words.indexOf(". ") < 0 && words.endsWith(".");
  }
}
