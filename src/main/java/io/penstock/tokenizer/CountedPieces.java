package io.penstock.tokenizer;

import com.knuddels.jtokkit.api.Encoding;
import io.penstock.tenant.SharedState;
import org.jspecify.annotations.Nullable;

/**
 * Counts tokens of text with {@code o200k_base}, piece by piece, and caches the counts of pieces,
 * because most of a text consists of words that were counted before. The cache is a table of fixed
 * size; colliding pieces replace each other. Safe from any thread.
 */
final class CountedPieces {
  /** Roughly the number of words in use; the full table takes 2 MiB. */
  private static final int PLACES = 1 << 15;

  /** Longest piece that is cached, in characters; longer ones are rarely seen twice. */
  private static final int LONGEST = 24;

  /** Immutable, so that it may be read while another thread stores it. */
  private record Counted(String piece, int tokens) {}

  private final Encoding encoding;

  @SharedState("counted words")
  private final @Nullable Counted[] places = new Counted[PLACES];

  /** Creates a counter that uses the given table of {@code o200k_base}. */
  CountedPieces(Encoding encoding) {
    this.encoding = encoding;
  }

  /** Returns the number of tokens of a text. */
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

  /**
   * Compares characters in a loop, which is faster for short pieces than methods made for long
   * texts.
   */
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
