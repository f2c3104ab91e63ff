package io.penstock.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Changes to the bytes of a body, made without copying what stays. */
public final class Edits {
  private Edits() {}

  /**
   * Returns a body with changes.
   *
   * @param body its bytes from position to limit, in pieces; neither read nor moved
   * @param edits which do not overlap, in any order
   */
  public static List<ByteBuffer> apply(List<ByteBuffer> body, List<Edit> edits) {
    List<Edit> ordered = edits.stream().sorted(Comparator.comparingLong(Edit::at)).toList();
    List<ByteBuffer> changed = new ArrayList<>();
    long at = 0;
    for (Edit edit : ordered) {
      copy(body, at, edit.at(), changed);
      changed.add(ByteBuffer.wrap(edit.text().getBytes(UTF_8)));
      at = edit.at() + edit.length();
    }
    copy(body, at, Long.MAX_VALUE, changed);
    return changed;
  }

  /** Returns by how many bytes changes make a body longer; negative when it gets shorter. */
  public static long grown(List<Edit> edits) {
    long grown = 0;
    for (Edit edit : edits) {
      grown += edit.text().getBytes(UTF_8).length - edit.length();
    }
    return grown;
  }

  private static void copy(List<ByteBuffer> body, long from, long to, List<ByteBuffer> changed) {
    long start = 0;
    for (ByteBuffer piece : body) {
      long end = start + piece.remaining();
      int first = (int) (Math.max(from, start) - start);
      int count = (int) (Math.min(to, end) - start) - first;
      if (count > 0) {
        changed.add(piece.slice(piece.position() + first, count));
      }
      start = end;
    }
  }
}
