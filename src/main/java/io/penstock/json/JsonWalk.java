package io.penstock.json;

import io.penstock.cost.Cost;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/**
 * Parses one JSON object as its bytes arrive, cut anywhere, and passes each value with its place to
 * a visitor. No tree is built; only the text of the value being read is kept. A long text in an
 * answer is only counted. So an answer of any size takes at most 8 KiB, and the names that lead to
 * the present place.
 *
 * <p>A place is the chain of member names from the outermost object inwards: level 1 is a member of
 * the outermost object; the level of an array element has no name.
 */
public final class JsonWalk {
  /** Result of {@link #whole} for a value that is not a whole number. */
  public static final long NOT_WHOLE = Long.MIN_VALUE;

  /** Result of {@link #whole} for a whole number below zero. */
  public static final long NEGATIVE = -1;

  /** Result of {@link #whole} for a whole number above {@link Cost#MAX_TOKENS}. */
  public static final long TOO_LARGE = Long.MAX_VALUE;

  /** Most levels of nested values in a request. */
  public static final int MAX_DEPTH = 200;

  /** Most levels of nested values in an answer, which may repeat those of a request. */
  static final int MAX_ANSWER_DEPTH = 1_000;

  /** Longest name of a member, in characters. */
  public static final int MAX_NAME_LENGTH = 1_024;

  /** Most digits of a number. */
  static final int MAX_NUMBER_LENGTH = 1_000;

  /** Longest text in an answer that is kept although it goes on in later bytes, in characters. */
  private static final int KEPT_CHARS = 256;

  /** Most characters of a longer text in an answer that are kept where the visitor asks for it. */
  private static final int MOST_KEPT_CHARS = 2_000;

  /** Bytes of an answer that are parsed at a time. */
  private static final int PIECE_BYTES = 1 << 10;

  /** Longest number in another form than that of an integer, in characters. */
  private static final int LONGEST_DECIMAL = 40;

  private static final BigDecimal MOST = BigDecimal.valueOf(Cost.MAX_TOKENS);

  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  // Recycled buffers belong to a thread, so that there are few of them and no lock. No table of
  // member names is kept, because hostile names must not outlive their document.
  private static final PieceParser.Factory REQUESTS = factory(MAX_DEPTH);
  private static final PieceParser.Factory ANSWERS = factory(MAX_ANSWER_DEPTH);

  /** Receives the values that the walk finds. The walk itself gives their place and content. */
  public interface Visitor {
    /** An object or array begins at the walk's place. */
    void open(JsonWalk at, boolean array);

    /** The object or array at the walk's place has ended. */
    void close(JsonWalk at);

    /** A string, number, boolean or null is at the walk's place. */
    void scalar(JsonWalk at);

    /**
     * Returns whether the beginning of the text at the walk's place, which goes on, is to be kept.
     */
    default boolean keeps(JsonWalk at) {
      return false;
    }
  }

  private final PieceParser.Factory factory;
  private final Visitor visitor;
  private final Utf8Counter counter = new Utf8Counter();
  private final CutSeparator cut = new CutSeparator();
  private final @Nullable Utf8Check utf8Check;
  private final @Nullable CompactBytes compactBytes;
  private @Nullable PieceParser parser;
  private @Nullable String fault;
  private @Nullable String[] names = new @Nullable String[16];
  private int depth;
  private int markBytes;
  private long fed;
  private boolean begun;
  private boolean complete;

  /** The characters of the present text that are not kept. */
  private long passedChars;

  /** The UTF-8 bytes of those characters. */
  private long passedBytes;

  /** The first of those characters, where the visitor asks for them. */
  private @Nullable StringBuilder passedText;

  private JsonWalk(
      PieceParser.Factory factory,
      @Nullable Utf8Check utf8Check,
      @Nullable CompactBytes compactBytes,
      Visitor visitor) {
    this.factory = factory;
    this.utf8Check = utf8Check;
    this.compactBytes = compactBytes;
    this.visitor = visitor;
  }

  /**
   * Returns a walk through a request. Bytes that are not valid UTF-8 are a fault, because the
   * provider may read another text from them than the parser, which accepts overlong forms.
   */
  public static JsonWalk ofRequest(Visitor visitor) {
    return ofRequest(visitor, null);
  }

  /**
   * As {@link #ofRequest(Visitor)}, and tells {@code compactBytes} about each token before the
   * visitor.
   */
  public static JsonWalk ofRequest(Visitor visitor, @Nullable CompactBytes compactBytes) {
    return new JsonWalk(REQUESTS, new Utf8Check(), compactBytes, visitor);
  }

  /** Returns a walk through an answer. */
  public static JsonWalk ofAnswer(Visitor visitor) {
    return new JsonWalk(ANSWERS, null, null, visitor);
  }

  private static PieceParser.Factory factory(int maxDepth) {
    return new PieceParser.Factory(
        JsonFactory.builder()
            .recyclerPool(JsonRecyclerPools.threadLocalPool())
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(maxDepth)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build()));
  }

  /** Reads and consumes {@code bytes}; after a fault they are only consumed. */
  public void feed(ByteBuffer bytes) {
    if (fault == null && utf8Check != null) {
      check(utf8Check, bytes);
    }
    if (fault == null && !begun) {
      skipMark(bytes);
    }
    if (factory == ANSWERS) {
      feedPieces(bytes, false);
    } else if (fault == null && bytes.hasRemaining()) {
      feedPiece(bytes, false);
    }
    bytes.position(bytes.limit());
  }

  /**
   * Reads bytes of an answer as {@link #feed} does, but leaves those behind the end of the document
   * unread. Returns whether the document has ended.
   */
  public boolean feedDocument(ByteBuffer bytes) {
    feedPieces(bytes, true);
    if (fault != null) {
      bytes.position(bytes.limit());
    }
    return fault == null && complete;
  }

  private void feedPieces(ByteBuffer bytes, boolean one) {
    int limit = bytes.limit();
    while (fault == null && bytes.position() < limit && !(one && complete)) {
      bytes.limit(Math.min(limit, bytes.position() + PIECE_BYTES));
      feedPiece(bytes, one);
      passOver();
      bytes.limit(limit);
    }
  }

  /**
   * Parses a piece.
   *
   * @param one whether to stop behind the end of the document
   */
  private void feedPiece(ByteBuffer bytes, boolean one) {
    cut.look(bytes);
    PieceParser open = parser;
    if (open == null) {
      open = factory.parser();
      parser = open;
    }
    advance(open, bytes, one);
    bytes.position(one && fault == null && complete ? open.index() : bytes.limit());
  }

  /** Forgets a text that goes on in later bytes, but for its length. */
  private void passOver() {
    PieceParser open = parser;
    if (fault == null && open != null && open.textSoFar() > KEPT_CHARS) {
      passedChars += open.textSoFar();
      if (visitor.keeps(this)) {
        keep(open);
      }
      counter.begin(null, true);
      open.dropText(counter);
      passedBytes += counter.take();
    }
  }

  private void keep(PieceParser open) {
    StringBuilder kept = passedText == null ? new StringBuilder() : passedText;
    passedText = kept;
    kept.append(open.textBeginning(MOST_KEPT_CHARS - kept.length()));
  }

  /** Checks a piece just before it is parsed, while it is in the caches of the processor. */
  private void check(Utf8Check utf8, ByteBuffer bytes) {
    int at = utf8.firstFault(bytes);
    if (at >= 0) {
      fault =
          String.format(
              Locale.ROOT, "it is not valid UTF-8 near byte %d", fed + at - bytes.position());
      release();
    }
    fed += bytes.remaining();
  }

  /** Consumes a byte order mark: the parser knows it only where it comes in one piece. */
  private void skipMark(ByteBuffer bytes) {
    while (parser == null && markBytes < MARK.length && bytes.hasRemaining()) {
      if (bytes.get(bytes.position()) == MARK[markBytes]) {
        bytes.get();
        markBytes++;
      } else if (markBytes == 0) {
        return;
      } else {
        fault = "the JSON is broken near byte " + markBytes;
        return;
      }
    }
  }

  /** Ends the document; an incomplete one is a fault from now on. */
  public void end() {
    PieceParser open = parser;
    if (fault == null && open != null && !(complete && factory == ANSWERS)) {
      advance(open, null, false);
    }
    if (fault == null && !complete) {
      fault = begun ? "it ends inside the JSON" : "it is empty";
    }
    release();
  }

  /** Resets the walk for another document. */
  public void restart() {
    release();
    fault = null;
    depth = 0;
    markBytes = 0;
    begun = false;
    complete = false;
    passedChars = 0;
    passedBytes = 0;
    passedText = null;
    cut.restart();
    fed = 0;
    if (compactBytes != null) {
      compactBytes.restart();
    }
    if (utf8Check != null) {
      utf8Check.restart();
    }
  }

  /** Returns a description of the fault of the document, without its content, or null. */
  public @Nullable String fault() {
    return fault;
  }

  /**
   * Parses all of {@code bytes}, or, if null, what is pending at the end of the document.
   *
   * @param one as in {@link #feedPiece}
   */
  private void advance(PieceParser open, @Nullable ByteBuffer bytes, boolean one) {
    try {
      if (bytes == null) {
        open.endOfInput();
      } else {
        if (compactBytes != null) {
          compactBytes.begin(bytes);
        }
        open.feedInput(bytes);
      }
      JsonToken token = open.nextToken();
      while (token != null && token != JsonToken.NOT_AVAILABLE && fault == null) {
        step(open, token);
        token = one && complete ? null : open.nextToken();
      }
      if (compactBytes != null && fault == null && bytes != null) {
        compactBytes.endPiece();
      }
    } catch (StreamConstraintsException e) {
      fault = "the JSON is nested too deeply, or a name or value in it is too long";
    } catch (JacksonException e) {
      fault = bytes == null ? "it ends inside the JSON" : "the JSON is broken" + where(open);
    }
    if (fault != null) {
      release();
    }
  }

  private static String where(JsonParser open) {
    long offset = open.currentLocation().getByteOffset();
    return offset < 0 ? "" : String.format(Locale.ROOT, " near byte %d", offset);
  }

  private void release() {
    if (parser != null) {
      parser.close();
      parser = null;
    }
  }

  private void step(PieceParser open, JsonToken token) {
    if (complete) {
      fault = "there is more after the JSON";
      return;
    }
    if (!begun && token != JsonToken.START_OBJECT) {
      fault = "it is not a JSON object";
      return;
    }
    begun = true;
    if (cut.forbids(token)) {
      fault = "the JSON is broken" + where(open);
      return;
    }
    switch (token) {
      case START_OBJECT, START_ARRAY -> {
        pass(open, true);
        visitor.open(this, token == JsonToken.START_ARRAY);
        descend();
      }
      case END_OBJECT, END_ARRAY -> {
        depth--;
        pass(open, false);
        visitor.close(this);
        complete = depth == 0;
      }
      case PROPERTY_NAME -> {
        names[depth] = open.currentName();
        if (compactBytes != null && (depth == 1 || compactBytes.on())) {
          compactBytes.name(this, open.index());
        }
      }
      default -> {
        pass(open, false);
        visitor.scalar(this);
        passedChars = 0;
        passedBytes = 0;
        passedText = null;
      }
    }
  }

  private void pass(PieceParser open, boolean opens) {
    if (compactBytes != null && compactBytes.on()) {
      compactBytes.token(this, open.index(), opens);
    }
  }

  private void descend() {
    depth++;
    if (depth == names.length) {
      names = Arrays.copyOf(names, names.length * 2);
    }
    names[depth] = null;
  }

  /** Returns the offset of the first byte of the scalar or container in the document. */
  public long startsAt() {
    // the parser has read one byte when it notes where a string, object or array begins
    return markBytes + reading().currentTokenLocation().getByteOffset() - 1;
  }

  /** Returns the offset in the document just after the last byte that was read. */
  public long endsAt() {
    return markBytes + reading().currentLocation().getByteOffset();
  }

  /** Returns the number of levels of the place; 0 is the outermost object itself. */
  public int depth() {
    return depth;
  }

  /** Returns the name at {@code level} of the place; null for an element, or below the place. */
  public @Nullable String name(int level) {
    return level <= depth ? names[level] : null;
  }

  /** Returns the innermost name of the place; null for an element. */
  public @Nullable String name() {
    return names[depth];
  }

  public boolean isString() {
    return token() == JsonToken.VALUE_STRING;
  }

  public boolean isNull() {
    return token() == JsonToken.VALUE_NULL;
  }

  public boolean isBoolean() {
    return isTrue() || token() == JsonToken.VALUE_FALSE;
  }

  public boolean isTrue() {
    return token() == JsonToken.VALUE_TRUE;
  }

  public boolean isNumber() {
    return token() == JsonToken.VALUE_NUMBER_INT || token() == JsonToken.VALUE_NUMBER_FLOAT;
  }

  /** Returns whether the container that begins or ends here is an array. */
  public boolean isArray() {
    return token() == JsonToken.START_ARRAY || token() == JsonToken.END_ARRAY;
  }

  private JsonToken token() {
    JsonToken token = reading().currentToken();
    return token == null ? JsonToken.NOT_AVAILABLE : token;
  }

  private JsonParser reading() {
    if (parser == null) {
      throw new IllegalStateException("no document is being read, expected a call from a visit");
    }
    return parser;
  }

  /**
   * Returns the text of the scalar; check its length with {@link #isAtMost} first. A text in an
   * answer is available up to 256 characters.
   */
  public String text() {
    return reading().getString();
  }

  /** Returns the characters of the scalar's text. */
  public int length() {
    return reading().getStringLength();
  }

  /** Returns whether the text of the scalar has at most {@code chars} characters. */
  public boolean isAtMost(int chars) {
    return passedChars + reading().getStringLength() <= chars;
  }

  /**
   * Returns the first characters of the scalar's text, without a copy of the rest; of a long one in
   * an answer as many as were kept.
   */
  public String beginning(int chars) {
    TextBeginning beginning = new TextBeginning(chars);
    if (passedText != null) {
      beginning.write(passedText.toString().toCharArray(), 0, passedText.length());
    }
    reading().getString(beginning);
    return beginning.text();
  }

  /** Returns the UTF-8 bytes of the scalar's text, escapes resolved, quotes not counted. */
  public long utf8Bytes() {
    return utf8Bytes(null);
  }

  /** As {@link #utf8Bytes()}, and copies the text. */
  public long utf8Bytes(KeptText.@Nullable Part into) {
    JsonParser open = reading();
    boolean plain = isPlain(open);
    if (into != null) {
      into.expect(open.getStringLength());
    }
    if (!plain || into != null) {
      counter.begin(into, !plain);
      open.getString(counter);
    }
    return plain ? passedChars + open.getStringLength() : passedBytes + counter.take();
  }

  /**
   * Returns whether the value is a string of ASCII without escapes: only then it has as many
   * characters as bytes. So a long text need not be read again to be counted, which would take some
   * milliseconds of an event loop.
   */
  private boolean isPlain(JsonParser open) {
    return isString() && endsAt() - startsAt() - 2 == passedChars + open.getStringLength();
  }

  /** Returns the bytes that the scalar adds to a document without white space, escapes resolved. */
  public long compactBytes() {
    return compactBytes(null);
  }

  /** As {@link #compactBytes()}, and copies the bytes as text. */
  public long compactBytes(KeptText.@Nullable Part into) {
    String quote = isString() ? "\"" : "";
    frame(into, quote);
    long bytes = utf8Bytes(into) + 2L * quote.length() + frameBytes();
    if (into != null) {
      into.append(quote);
      into.append(",");
    }
    return bytes;
  }

  /** Returns the bytes a container without its content adds to a document without white space. */
  public long containerBytes() {
    return 1 + frameBytes();
  }

  /**
   * As {@link #containerBytes()}, and copies its start; {@link KeptText.Part#closeJson} ends it.
   */
  public long containerBytes(KeptText.@Nullable Part into) {
    frame(into, isArray() ? "[" : "{");
    return containerBytes();
  }

  private void frame(KeptText.@Nullable Part into, String opening) {
    if (into == null) {
      return;
    }
    String name = name();
    if (name != null) {
      into.append("\"");
      into.append(name);
      into.append("\":");
    }
    into.append(opening);
  }

  /**
   * Returns the size of the name with its quotes and colon, and of the comma or bracket after a
   * value.
   */
  private long frameBytes() {
    String name = name();
    return 1 + (name == null ? 0 : Utf8Counter.bytes(name) + 3);
  }

  /**
   * Returns the scalar as a whole number of 0 to {@link Cost#MAX_TOKENS}, or {@link #NOT_WHOLE},
   * {@link #NEGATIVE} or {@link #TOO_LARGE}.
   */
  public long whole() {
    if (token() != JsonToken.VALUE_NUMBER_INT) {
      return NOT_WHOLE;
    }
    JsonParser open = reading();
    if (open.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      return open.getString().startsWith("-") ? NEGATIVE : TOO_LARGE;
    }
    long value = open.getLongValue();
    if (value < 0) {
      return NEGATIVE;
    }
    return value > Cost.MAX_TOKENS ? TOO_LARGE : value;
  }

  /**
   * As {@link #whole}, and takes a whole number that is written as a decimal, or in quotes: {@code
   * 100.0}, {@code 1e3}, {@code "100"}.
   */
  public long wholeInAnyForm() {
    return inAnyForm(false);
  }

  /** As {@link #wholeInAnyForm}, and takes any other number as the next larger whole one. */
  public long roundedUp() {
    return inAnyForm(true);
  }

  private long inAnyForm(boolean roundsUp) {
    boolean other = token() == JsonToken.VALUE_NUMBER_FLOAT || isString();
    if (!other || !isAtMost(LONGEST_DECIMAL)) {
      return whole();
    }
    try {
      BigDecimal value = new BigDecimal(text());
      if (value.signum() < 0) {
        return NEGATIVE;
      }
      if (value.compareTo(MOST) > 0) {
        return TOO_LARGE;
      }
      if (value.stripTrailingZeros().scale() <= 0) {
        return value.longValue();
      }
      return roundsUp ? value.longValue() + 1 : NOT_WHOLE;
    } catch (NumberFormatException e) {
      return NOT_WHOLE;
    }
  }
}
