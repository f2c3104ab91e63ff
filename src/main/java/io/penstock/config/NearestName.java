package io.penstock.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the known name that is most similar to an unknown one, as a suggestion. */
public final class NearestName {
  private static final int LONGEST = 64;

  private NearestName() {}

  /** Returns the name that differs least from {@code text}, unless even that differs much. */
  public static Optional<String> nearest(String text, List<String> names) {
    if (text.length() > LONGEST) {
      return Optional.empty();
    }
    int most = Math.max(1, text.length() / 3);
    return names.stream()
        .filter(name -> distance(text, name) <= most)
        .min(Comparator.comparingInt(name -> distance(text, name)));
  }

  /** Returns the Levenshtein distance: the number of characters to insert, remove or replace. */
  public static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
