package io.penstock.provider;

import java.util.regex.Pattern;

/**
 * Makes the words of a provider fit for logs, operators and other clients: no secret, nothing that
 * a request may have said, nothing that cannot be printed, and not much.
 */
final class PublicWords {
  /** Most characters that are kept. */
  static final int MOST = 200;

  private static final String HIDDEN = "***";

  /** Most characters that are looked at. */
  private static final int MOST_READ = 4_000;

  /** Quotations may come from a request. An apostrophe within a word is no quotation mark. */
  private static final Pattern QUOTED =
      Pattern.compile(
          "`[^`]*(?:`|\\z)|\"[^\"]*(?:\"|\\z)|\u201c[^\u201d]*(?:\u201d|\\z)"
              + "|(?<![\\p{L}\\p{N}])'(?:[^']++|'(?=[\\p{L}\\p{N}]))*+(?:'|\\z)");

  /** Credentials, or what looks like one: long, with digits and letters. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)(?<=\\bbearer )\\S+"
              + "|(?<![\\w*-])(?:"
              + "(?:sk|rk|pk|ak|ek)-[\\w*-]+"
              + "|(?:gsk_|xai-|hf_|pplx-|nvapi-|r8_|aiza)[\\w*-]+"
              + "|[\\w*-]*\\*\\*[\\w*-]*"
              + "|(?=[\\w-]*\\d)(?=[\\w-]*[a-z])[\\w-]{16,}"
              + ")");

  private static final Pattern MARKUP =
      Pattern.compile("(?is)<(script|style)\\b.*?(?:</\\1\\s*>|\\z)|<[^>]*>");

  private static final Pattern UNPRINTABLE =
      Pattern.compile("[\\p{C}\\p{Z}\\s]+", Pattern.UNICODE_CHARACTER_CLASS);

  private PublicWords() {}

  /** Returns the beginning of a text without what it quotes. */
  static String unquoted(String text) {
    return QUOTED.matcher(beginning(text)).replaceAll(HIDDEN);
  }

  private static String beginning(String text) {
    return text.substring(0, Math.min(text.length(), MOST_READ));
  }

  /** Returns the words of a text that other people may read; empty if there are none. */
  static String of(String text) {
    boolean page = text.stripLeading().startsWith("<");
    String plain = page ? MARKUP.matcher(text).replaceAll(" ") : text;
    String open = SECRET.matcher(unquoted(plain)).replaceAll(HIDDEN);
    String line = UNPRINTABLE.matcher(open).replaceAll(" ").strip();
    return line.length() <= MOST ? line : line.substring(0, MOST) + "...";
  }
}
