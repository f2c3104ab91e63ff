package io.penstock.json;

import java.io.IOException;
import java.io.UncheckedIOException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.io.IOContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonFactoryBuilder;
import tools.jackson.core.json.async.NonBlockingByteBufferJsonParser;
import tools.jackson.core.sym.ByteQuadsCanonicalizer;

/**
 * Jackson's parser for pieces of a document, which also tells its place in the piece. Jackson's own
 * location is an object with lines and columns, which is too much to ask for at each token.
 */
final class PieceParser extends NonBlockingByteBufferJsonParser {
  private PieceParser(
      ObjectReadContext context,
      IOContext io,
      int streamFeatures,
      int formatFeatures,
      ByteQuadsCanonicalizer names) {
    super(context, io, streamFeatures, formatFeatures, names);
  }

  /** Returns the index in the piece of the first byte that was not read yet. */
  int index() {
    return _inputPtr;
  }

  /**
   * Returns how many characters of a string value came so far, if the bytes so far end inside one;
   * else 0.
   */
  int textSoFar() {
    if (_currToken != JsonToken.NOT_AVAILABLE) {
      return 0; // the state is that of an earlier value
    }
    return switch (_minorState) {
      case MINOR_VALUE_STRING,
          MINOR_VALUE_STRING_ESCAPE,
          MINOR_VALUE_STRING_UTF8_2,
          MINOR_VALUE_STRING_UTF8_3,
          MINOR_VALUE_STRING_UTF8_4 ->
          _textBuffer.size();
      default -> 0;
    };
  }

  /** Returns the first characters of {@link #textSoFar}. */
  String textBeginning(int chars) {
    TextBeginning beginning = new TextBeginning(chars);
    try {
      _textBuffer.contentsToWriter(beginning);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it does no input or output
    }
    return beginning.text();
  }

  /** Writes the characters of {@link #textSoFar} to {@code to}, and forgets them. */
  void dropText(Utf8Counter to) {
    try {
      _textBuffer.contentsToWriter(to);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a counter does no input or output
    }
    _textBuffer.emptyAndGetCurrentSegment();
  }

  /** Creates parsers as Jackson's own factory does. */
  static final class Factory extends JsonFactory {
    private static final long serialVersionUID = 1;

    Factory(JsonFactoryBuilder builder) {
      super(builder);
    }

    PieceParser parser() {
      ObjectReadContext context = ObjectReadContext.empty();
      return new PieceParser(
          context,
          _createNonBlockingContext(null),
          context.getStreamReadFeatures(_streamReadFeatures),
          context.getFormatReadFeatures(_formatReadFeatures),
          _byteSymbolCanonicalizer.makeChildOrPlaceholder(_factoryFeatures));
    }
  }
}
