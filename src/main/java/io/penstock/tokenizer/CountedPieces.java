package io.penstock.tokenizer;

import com.knuddels.jtokkit.api.Encoding;
import org.jspecify.annotations.Nullable;

/**
 * Counts text of {@code o200k_base}, piece by piece, and remembers what pieces came to: most of a
 * text is words that were counted before. Who remembers what is left to chance, in a table of a
 * fixed size; what is forgotten is counted again. Safe from any thread.
 */
final class CountedPieces {
  /** About as many as there are words in use, 2 MiB when all places are taken. */
  private static final int PLACES = 1 << 15;

  /** Longer pieces are rarely seen twice. */
  private static final int LONGEST = 24;

  /** Immutable, so that it may be read while somebody else puts it there. */
  private record Counted(String piece, int tokens) {}

  private final Encoding encoding;
  private final @Nullable Counted[] places = new Counted[PLACES];

  /** Counts with that table, of {@code o200k_base}. */
  CountedPieces(Encoding encoding) {
    this.encoding = encoding;
  }

  /** Returns the tokens of a text. */
  long count(String text) {
    O200kPieces pieces = new O200kPieces(text);
    long tokens = 0;
    int from = 0;
    while (from < text.length()) {
      int end = pieces.end(from);
      tokens += end - from > LONGEST ? tokens(text.substring(from, end)) : piece(text, from, end);
      from = end;
    }
    return tokens;
  }

  private int piece(String text, int from, int end) {
    int hash = 0;
    for (int i = from; i < end; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    int place = (hash ^ hash >>> 15) & PLACES - 1;
    Counted known = places[place];
    if (known != null && known.piece.length() == end - from && begins(text, from, known.piece)) {
      return known.tokens;
    }
    String piece = text.substring(from, end);
    int tokens = tokens(piece);
    places[place] = new Counted(piece, tokens);
    return tokens;
  }

  /** Pieces are of a few characters: what compares long texts takes longer to begin. */
  private static boolean begins(String text, int from, String piece) {
    for (int i = 0; i < piece.length(); i++) {
      if (text.charAt(from + i) != piece.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int tokens(String piece) {
    return encoding.countTokensOrdinary(piece);
  }
}
