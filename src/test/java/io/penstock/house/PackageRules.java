package io.penstock.house;

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
      Set.of("util", "utils", "common", "helper", "helpers", "impl", "service", "model", "dto");

  /** A Javadoc comment, the annotation and the package; the group is the comment. */
  private static final Pattern PACKAGE_INFO =
      Pattern.compile("/\\*\\*((?:(?!\\*/)[\\s\\S])*+)\\*/\\s*@NullMarked\\s+package\\s[\\s\\S]*");

  private static final Pattern OUR_PACKAGE = Pattern.compile("io\\.penstock(?:\\.[a-z]\\w*)*");

  private PackageRules() {}

  /** Returns packages with meaningless names. */
  static List<String> vaguePackages(Source source) {
    List<String> found = new ArrayList<>();
    for (String segment : source.packageName().split("\\.", -1)) {
      if (VAGUE.contains(segment)) {
        found.add(source.path() + " is in a package called " + segment);
      }
    }
    return found;
  }

  /** Returns files of either tree in packages that are missing from the table. */
  static List<String> unknownPackages(Source source) {
    String name = source.packageName();
    boolean testOnly =
        !source.main()
            && RoomTable.TEST_ONLY.stream().anyMatch(own -> name.equals("io.penstock." + own));
    return RoomTable.known(name) || testOnly
        ? List.of()
        : List.of(source.path() + " is in " + name + ", which is in no row of the room table");
  }

  /**
   * Returns imports that the table does not allow. Compiled classes alone do not show them all,
   * because the compiler copies constants without their origin.
   */
  static List<String> forbiddenImports(Source source) {
    List<String> found = new ArrayList<>();
    if (!source.main()) {
      return found;
    }
    for (ImportTree imported : source.tree().getImports()) {
      String name = imported.getQualifiedIdentifier().toString();
      Matcher matcher = OUR_PACKAGE.matcher(name);
      if (RoomTable.ours(name)
          && matcher.lookingAt()
          && !RoomTable.mayImport(source.packageName(), matcher.group())) {
        found.add(source.path() + " imports " + name);
      }
    }
    return found;
  }

  /**
   * Returns packages of the program without a package-info that is null-marked and has one
   * sentence.
   */
  static List<String> undescribedPackages(List<Source> sources) {
    Set<String> undescribed = new TreeSet<>();
    for (Source source : sources) {
      if (source.main()) {
        undescribed.add(source.packageName());
      }
    }
    for (Source source : sources) {
      if (source.main() && source.path().endsWith("/package-info.java") && described(source)) {
        undescribed.remove(source.packageName());
      }
    }
    return List.copyOf(undescribed);
  }

  private static boolean described(Source source) {
    Matcher matcher = PACKAGE_INFO.matcher(source.text());
    return matcher.matches() && oneSentence(matcher.group(1).replaceAll("(?m)^\\s*\\*", ""));
  }

  private static boolean oneSentence(String comment) {
    String words = comment.strip().replaceAll("\\s+", " ");
    return words.length() > 1 && words.indexOf(". ") < 0 && words.endsWith(".");
  }
}
