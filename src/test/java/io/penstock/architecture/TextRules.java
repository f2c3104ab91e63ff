package io.penstock.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules over the text of any file in the repository; each returns the violations. */
final class TextRules {
  /** A directory that exists on one machine only. */
  private static final Pattern MACHINE_PATH =
      Pattern.compile(
          "(?<![\\w.})\\]-])/(?:home|root|work|tmp|Users)/[\\w.-]+|\\b[A-Z]:\\\\{1,2}Users\\b");

  /** A host from which packages or images come, which is a setting of the building machine. */
  private static final Pattern REGISTRY =
      Pattern.compile(
          "https?://[\\w.:@-]*\\b(?:repo\\d*|registry|mirrors?|nexus|artifactory)\\b[\\w.-]*"
              + "|(?<![\\w./-])(?:repo\\d*|registry|mirrors?|nexus|artifactory)\\.[\\w.-]+"
              + "\\.(?:com|org|net|io|dev|cloud|local|corp|lan)\\b"
              + "|<(?:repository|pluginRepository|mirror|distributionManagement)>");

  private TextRules() {}

  /** Returns directories that exist on one machine only. */
  static List<String> machinePaths(String path, String text) {
    return find(MACHINE_PATH, path, text);
  }

  /** Returns hosts of registries. */
  static List<String> registryHosts(String path, String text) {
    return find(REGISTRY, path, text);
  }

  private static List<String> find(Pattern pattern, String path, String text) {
    List<String> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(path + " names " + matcher.group());
    }
    return found;
  }
}
