package io.penstock.provider;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

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

  /**
   * Returns the part of {@code path} behind a collection, such as {@code /models}, or null when
   * there is none. The part may contain slashes, as names of models do.
   */
  static @Nullable String member(String path, String collection) {
    String tidy = tidy(path);
    String prefix = collection + "/";
    int at = tidy.toLowerCase(Locale.ROOT).indexOf(prefix);
    return at < 0 || at + prefix.length() == tidy.length()
        ? null
        : tidy.substring(at + prefix.length());
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
