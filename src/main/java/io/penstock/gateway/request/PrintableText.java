package io.penstock.gateway.request;

/**
 * Makes foreign text safe for a line of the log: it can neither end the line nor look like another
 * part of it.
 */
public final class PrintableText {
  private static final int MOST = 200;

  private PrintableText() {}

  /**
   * Returns the text with invisible characters, quotes and backslashes as {@code \}{@code uXXXX},
   * cut to {@value #MOST} characters.
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

  /**
   * Returns whether a character is a letter, digit, sign or space; not a mark that changes the
   * direction of writing, nor half of a surrogate pair.
   */
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
