package io.penstock.gateway;

/** Text of others on a line of the log: it cannot end the line, nor look like another part. */
public final class Printable {
  private static final int MOST = 200;

  private Printable() {}

  /**
   * Returns the text; what is not to be seen, quotes and backslashes become {@code \}{@code uXXXX},
   * and what is longer than {@value #MOST} characters is cut.
   */
  public static String of(String text) {
    int length = Math.min(text.length(), MOST);
    for (int i = 0; i < length; i++) {
      if (!plain(text.charAt(i))) {
        return escaped(text, length);
      }
    }
    return length == text.length() ? text : text.substring(0, length) + "...";
  }

  private static String escaped(String text, int length) {
    StringBuilder escaped = new StringBuilder(length + 16);
    for (int i = 0; i < length; i++) {
      char each = text.charAt(i);
      if (plain(each)) {
        escaped.append(each);
      } else {
        escaped.append("\\u%04x".formatted((int) each));
      }
    }
    return length == text.length() ? escaped.toString() : escaped.append("...").toString();
  }

  /** Letters, digits, signs and spaces; not marks that turn what follows around, nor halves. */
  private static boolean plain(char each) {
    if (each < 0x7f) {
      return each >= ' ' && each != '"' && each != '\\';
    }
    return switch (Character.getType(each)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
