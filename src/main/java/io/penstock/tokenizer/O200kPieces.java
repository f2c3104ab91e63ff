package io.penstock.tokenizer;

/**
 * Splits text into the pieces in which {@code o200k_base} then looks for tokens. Source: the
 * regular expression of that table in {@code tiktoken_ext/openai_public.py} of OpenAI's tiktoken.
 * Its alternatives are coded by hand, because a regular expression takes several times as long as
 * the rest of reading a request.
 */
final class O200kPieces {
  private static final int UPPER =
      1 << Character.UPPERCASE_LETTER
          | 1 << Character.TITLECASE_LETTER
          | 1 << Character.MODIFIER_LETTER
          | 1 << Character.OTHER_LETTER
          | 1 << Character.NON_SPACING_MARK
          | 1 << Character.ENCLOSING_MARK
          | 1 << Character.COMBINING_SPACING_MARK;

  private static final int LOWER =
      (UPPER & ~(1 << Character.UPPERCASE_LETTER) & ~(1 << Character.TITLECASE_LETTER))
          | 1 << Character.LOWERCASE_LETTER;

  private static final int LETTER =
      1 << Character.UPPERCASE_LETTER
          | 1 << Character.LOWERCASE_LETTER
          | 1 << Character.TITLECASE_LETTER
          | 1 << Character.MODIFIER_LETTER
          | 1 << Character.OTHER_LETTER;

  private static final int NUMBER =
      1 << Character.DECIMAL_DIGIT_NUMBER
          | 1 << Character.LETTER_NUMBER
          | 1 << Character.OTHER_NUMBER;

  private static final char LONG_S = '\u017f';

  /** Maximum number of digits in a piece. */
  private static final int DIGITS = 3;

  private final String text;

  /** Creates a splitter of a text. */
  O200kPieces(String text) {
    this.text = text;
  }

  /** Returns the end of the piece that begins at {@code from}, which is less than the length. */
  int end(int from) {
    int first = text.codePointAt(from);
    int second = from + Character.charCount(first);
    boolean prefix = !isLineEnd(first) && !is(first, LETTER | NUMBER) && second < text.length();
    int end = prefix ? lowerWord(second) : -1;
    if (end < 0) {
      end = lowerWord(from);
    }
    if (end < 0 && prefix) {
      end = upperWord(second);
    }
    if (end < 0) {
      end = upperWord(from);
    }
    if (end >= 0) {
      return contracted(end);
    }
    if (is(first, NUMBER)) {
      return digits(from);
    }
    end = symbols(first == ' ' ? second : from);
    return end >= 0 ? end : spaces(from);
  }

  /**
   * Returns the end of a word that ends in lower case, or -1. Characters without case count as both
   * cases. Upper case is matched greedily, so if no lower case follows it, the word ends after the
   * last character without case.
   */
  private int lowerWord(int from) {
    int upper = from;
    int afterLastBoth = -1;
    while (upper < text.length()) {
      int point = text.codePointAt(upper);
      if (!is(point, UPPER)) {
        break;
      }
      upper += Character.charCount(point);
      if (is(point, LOWER)) {
        afterLastBoth = upper;
      }
    }
    int lower = run(upper, LOWER);
    return lower > upper ? lower : afterLastBoth;
  }

  /** Returns the end of a word that is entirely in upper case, or -1. */
  private int upperWord(int from) {
    int end = run(from, UPPER);
    return end > from ? end : -1;
  }

  private int run(int from, int types) {
    int end = from;
    while (end < text.length()) {
      int point = text.codePointAt(end);
      if (!is(point, types)) {
        break;
      }
      end += Character.charCount(point);
    }
    return end;
  }

  /** Returns the end of {@code 's}, {@code 't}, {@code 're} and the like, or {@code from}. */
  private int contracted(int from) {
    if (from + 1 >= text.length() || text.charAt(from) != '\'') {
      return from;
    }
    char first = lowerCase(text.charAt(from + 1));
    if (first == 's' || first == 't' || first == 'm' || first == 'd') {
      return from + 2;
    }
    char second = from + 2 < text.length() ? lowerCase(text.charAt(from + 2)) : 0;
    boolean two =
        (first == 'r' && second == 'e')
            || (first == 'v' && second == 'e')
            || (first == 'l' && second == 'l');
    return two ? from + 3 : from;
  }

  /**
   * Converts ASCII characters to lower case, and the long s to s, as a case-insensitive regular
   * expression does.
   */
  private static char lowerCase(char c) {
    if (c == LONG_S) {
      return 's';
    }
    return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
  }

  private int digits(int from) {
    int end = from;
    for (int i = 0; i < DIGITS && end < text.length(); i++) {
      int point = text.codePointAt(end);
      if (!is(point, NUMBER)) {
        break;
      }
      end += Character.charCount(point);
    }
    return end;
  }

  private int symbols(int from) {
    int end = from;
    while (end < text.length()) {
      int point = text.codePointAt(end);
      if (isSpace(point) || is(point, LETTER | NUMBER)) {
        break;
      }
      end += Character.charCount(point);
    }
    if (end == from) {
      return -1;
    }
    while (end < text.length() && (isLineEnd(text.charAt(end)) || text.charAt(end) == '/')) {
      end++;
    }
    return end;
  }

  /**
   * Returns the end of white space: after the last line end; if there is none, before the last of
   * several spaces.
   */
  private int spaces(int from) {
    int end = from;
    int afterLineEnd = -1;
    while (end < text.length() && isSpace(text.charAt(end))) {
      if (isLineEnd(text.charAt(end))) {
        afterLineEnd = end + 1;
      }
      end++;
    }
    if (afterLineEnd >= 0) {
      return afterLineEnd;
    }
    return end == text.length() || end == from + 1 ? end : end - 1;
  }

  private static boolean is(int point, int types) {
    if (point < 128) {
      return (ASCII[point] & types) != 0;
    }
    return (1 << Character.getType(point) & types) != 0;
  }

  private static final int[] ASCII = ascii();

  private static int[] ascii() {
    int[] types = new int[128];
    for (int point = 0; point < types.length; point++) {
      types[point] = 1 << Character.getType(point);
    }
    return types;
  }

  private static boolean isLineEnd(int point) {
    return point == '\n' || point == '\r';
  }

  /** Returns whether a character is Unicode's White_Space; all of these consist of one char. */
  private static boolean isSpace(int point) {
    if (point < 128) {
      return point == ' ' || (point >= '\t' && point <= '\r');
    }
    int type = Character.getType(point);
    return point == 0x85
        || type == Character.SPACE_SEPARATOR
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }
}
