package io.penstock.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes of chosen members of a document, without the white space between tokens, as they pass
 * in a walk. Neighbouring tokens come in one piece where nothing is between them, so that a
 * document without white space costs hardly more than a comparison for each token. Escapes in
 * strings stay as they are. Not thread-safe.
 */
public final class CompactBytes {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final VarHandle PAIRS =
      MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int NOWHERE = -1;

  /** Decision about a member. */
  public enum Use {
    /** Its name and value are passed on; of a member of the outermost object, only the value. */
    PASS,
    /** As {@link #PASS}, and {@link Receiver#stringBegins} is called if the value is a string. */
    PASS_AND_TELL,
    /** Neither its name nor its value is passed on, nor the comma that would be too much. */
    LEAVE_OUT
  }

  /** Receives the bytes. */
  public interface Receiver {
    /**
     * Decides about the member after its name was read. It is not called for members inside one
     * that is left out.
     */
    Use member(JsonWalk at);

    /** The value of the member that was to be told about is a string, which begins now. */
    void stringBegins();

    /** Some bytes, from one index in the buffer to another. */
    void bytes(ByteBuffer piece, int from, int to);

    /** Notes the state so far, for {@link #takeBack}. */
    void note();

    /** Forgets all bytes since the last {@link #note}. */
    void takeBack();
  }

  private final Receiver receiver;
  private final int deepest;
  private ByteBuffer piece = NOTHING;
  private boolean on;

  /** Where the bytes begin that were not passed on yet; they end at {@link #end}. */
  private int from;

  /** The end of the last token, or the beginning of the piece. */
  private int end;

  /** Whether the token that comes next has begun in an earlier piece. */
  private boolean inside;

  private boolean noted;
  private boolean notedDrop;
  private boolean first;
  private boolean dropComma;
  private boolean tell;
  private int leftOutDepth = NOWHERE;

  /** Whether any of these needs more than a look at the bytes before the next token. */
  private boolean careful;

  /**
   * @param receiver receives the bytes
   * @param deepest the level below which it is not asked about members, which are passed on
   */
  public CompactBytes(Receiver receiver, int deepest) {
    this.receiver = receiver;
    this.deepest = deepest;
  }

  /** Begins with the next piece of the document. */
  void begin(ByteBuffer bytes) {
    piece = bytes;
    from = bytes.position();
    end = from;
  }

  /** Returns whether tokens matter at the moment; names of the outermost object always do. */
  boolean on() {
    return on;
  }

  /** A name has been read, which ends before an index in the piece. */
  void name(JsonWalk at, int to) {
    if (at.depth() > deepest) {
      if (leftOutDepth == NOWHERE) {
        reach(to);
        first = false;
      }
    } else if (at.depth() == 1) {
      restart();
      Use use = receiver.member(at);
      on = use != Use.LEAVE_OUT;
      tellIf(use);
      from = to;
      end = to;
    } else if (leftOutDepth == NOWHERE) {
      Use use = receiver.member(at);
      if (use == Use.LEAVE_OUT) {
        leaveOut(at.depth());
      } else {
        reach(to);
        tellIf(use);
      }
      first = false;
    }
  }

  private void tellIf(Use use) {
    if (use == Use.PASS_AND_TELL) {
      tell = true;
      careful = true;
    }
  }

  private void leaveOut(int depth) {
    if (noted) {
      receiver.takeBack();
      dropComma = notedDrop;
    } else {
      pass(from, end);
    }
    leftOutDepth = depth;
    dropComma |= first;
    inside = false;
    noted = false;
    careful = true;
  }

  /** A token other than a name has been read, which ends before an index in the piece. */
  void token(JsonWalk at, int to, boolean opens) {
    if (leftOutDepth == NOWHERE) {
      reach(to);
      first = opens;
      return;
    }
    // the comma that is to be dropped, if any, comes next, so that care is still needed
    if (!opens && at.depth() == leftOutDepth) {
      leftOutDepth = NOWHERE;
      first = false;
    }
    from = to;
    end = to;
  }

  private void reach(int to) {
    if (careful || spaceFollows(to)) {
      reachWithCare(to);
    }
    end = to;
  }

  private void reachWithCare(int to) {
    if (!inside && to > end) {
      pass(from, end);
      from = tokenFrom(end, to);
    }
    inside = false;
    noted = false;
    careful = false;
  }

  /** Returns whether there is white space around the separator before a token. */
  private boolean spaceFollows(int to) {
    if (to - end < Short.BYTES) {
      return false;
    }
    short pair = (short) PAIRS.get(piece, end);
    byte next = (byte) pair;
    return isSpace(next) || (isSeparator(next) && isSpace((byte) (pair >> Byte.SIZE)));
  }

  private static boolean isSpace(byte each) {
    return each <= ' ';
  }

  private static boolean isSeparator(byte each) {
    return each == ',' || each == ':';
  }

  /** Passes separators on, and returns where the token after them begins. */
  private int tokenFrom(int start, int to) {
    int at = start;
    while (at < to && (isSpace(piece.get(at)) || isSeparator(piece.get(at)))) {
      if (piece.get(at) == ',' && dropComma) {
        dropComma = false;
      } else if (isSeparator(piece.get(at))) {
        pass(at, at + 1);
      }
      at++;
    }
    if (at < to) {
      dropComma = false;
      if (tell && piece.get(at) == '"') {
        receiver.stringBegins();
      }
      tell = false;
    }
    return at;
  }

  /** Passes on the bytes that are left up to the end of the last token. */
  public void flush() {
    pass(from, end);
    from = end;
  }

  /** Returns the number of bytes that {@link #flush} would pass on. */
  public int pending() {
    return end - from;
  }

  private void pass(int start, int to) {
    if (to > start) {
      receiver.bytes(piece, start, to);
    }
  }

  /** Passes on the rest of the piece. */
  void endPiece() {
    if (on && leftOutDepth == NOWHERE) {
      if (inside) {
        pass(from, piece.limit());
      } else {
        flush();
        noteState();
        int token = tokenFrom(end, piece.limit());
        inside = token < piece.limit();
        pass(token, piece.limit());
      }
    }
    piece = NOTHING;
    from = 0;
    end = 0;
  }

  private void noteState() {
    if (!noted) {
      receiver.note();
      noted = true;
      careful = true;
      notedDrop = dropComma;
    }
  }

  /** Forgets the document. */
  void restart() {
    on = false;
    inside = false;
    noted = false;
    first = false;
    dropComma = false;
    tell = false;
    leftOutDepth = NOWHERE;
    careful = false;
  }
}
