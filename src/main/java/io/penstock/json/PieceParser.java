package io.penstock.json;

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
