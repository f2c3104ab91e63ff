package io.penstock.json;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Applies a few changes to a body without copying the rest of it. */
public final class BodyEdits {
  private BodyEdits() {}

  /**
   * Returns the changed body: views of the parts that stay, with the new text between them.
   *
   * @param body its bytes, in pieces cut anywhere; neither they nor their positions are changed
   * @param edits the changes in the order of their offsets, without overlaps
   * @throws IllegalArgumentException if edits are out of order, overlap, or reach beyond the body
   */
  public static List<ByteBuffer> apply(List<ByteBuffer> body, List<BodyEdit> edits) {
    List<ByteBuffer> edited = new ArrayList<>(body.size() + 2 * edits.size());
    Cursor cursor = new Cursor(body);
    for (BodyEdit bodyEdit : edits) {
      edited.addAll(cursor.pass(bodyEdit.at() - cursor.offset, bodyEdit));
      cursor.pass(bodyEdit.length(), bodyEdit);
      if (!bodyEdit.text().isEmpty()) {
        edited.add(ByteBuffer.wrap(bodyEdit.text().getBytes(StandardCharsets.UTF_8)));
      }
    }
    edited.addAll(cursor.rest());
    return edited;
  }

  /** Returns by how many bytes a body grows; negative when it shrinks. */
  public static long grown(List<BodyEdit> edits) {
    long grown = 0;
    for (BodyEdit bodyEdit : edits) {
      grown += Utf8Counter.bytes(bodyEdit.text()) - bodyEdit.length();
    }
    return grown;
  }

  /** Position in a body that is cut into pieces. */
  private static final class Cursor {
    private final List<ByteBuffer> pieces;
    private int next;
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private long offset;

    Cursor(List<ByteBuffer> pieces) {
      this.pieces = pieces;
    }

    /** Advances by {@code count} bytes, and returns views of them. */
    List<ByteBuffer> pass(long count, BodyEdit bodyEdit) {
      if (count < 0) {
        throw new IllegalArgumentException(
            "an edit is at " + bodyEdit.at() + ", expected none before " + offset);
      }
      List<ByteBuffer> passed = new ArrayList<>();
      long left = count;
      while (left > 0) {
        if (!piece.hasRemaining() && !open()) {
          throw new IllegalArgumentException(
              "an edit ends at "
                  + (bodyEdit.at() + bodyEdit.length())
                  + ", expected at most "
                  + offset);
        }
        int here = (int) Math.min(left, piece.remaining());
        if (here > 0) {
          passed.add(piece.slice(piece.position(), here));
          piece.position(piece.position() + here);
        }
        offset += here;
        left -= here;
      }
      return passed;
    }

    /** Returns views of all remaining bytes. */
    List<ByteBuffer> rest() {
      List<ByteBuffer> rest = new ArrayList<>(pieces.size() - next + 1);
      do {
        if (piece.hasRemaining()) {
          rest.add(piece);
        }
      } while (open());
      return rest;
    }

    private boolean open() {
      if (next == pieces.size()) {
        return false;
      }
      piece = pieces.get(next++).duplicate();
      return true;
    }
  }
}
