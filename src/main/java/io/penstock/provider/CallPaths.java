package io.penstock.provider;

/** Matches paths with the calls of a provider. */
final class CallPaths {
  private CallPaths() {}

  /**
   * Returns whether {@code path} ends in {@code call}, such as {@code /chat/completions}. The part
   * before it is the provider's version, whose position varies between deployments. Extra slashes
   * and upper case are ignored, as some providers do, because a request must not evade its limits
   * by them.
   */
  static boolean names(String path, String call) {
    String tidy = tidy(path);
    return tidy.regionMatches(true, tidy.length() - call.length(), call, 0, call.length());
  }

  private static String tidy(String path) {
    if (!path.contains("//") && !path.endsWith("/")) {
      return path;
    }
    StringBuilder tidy = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean last = i == path.length() - 1;
      if (c != '/' || !(last || path.charAt(i + 1) == '/')) {
        tidy.append(c);
      }
    }
    return tidy.toString();
  }
}
