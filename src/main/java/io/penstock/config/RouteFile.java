package io.penstock.config;

import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.SourcePlace;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads one route file. It only composes YAML nodes and never constructs an object from a tag, so a
 * file cannot run any code; depth, aliases and size are bounded.
 */
final class RouteFile {
  /** Largest accepted size of a file, in bytes. */
  static final int MAX_BYTES = 1 << 20;

  private static final int DEEPEST = 20;
  private static final int MOST_ALIASES = 50;
  private static final String EXPECTED = "a mapping with defaults and endpoints";

  private final SourceFile source;
  private final ConfigurationDraft draft;

  RouteFile(SourceFile source, ConfigurationDraft draft) {
    this.source = source;
    this.draft = draft;
  }

  /** Reads the file's bytes into the draft, and adds faults for errors. */
  void read(byte[] bytes) {
    Optional<MappingNode> root =
        text(bytes)
            .flatMap(this::compose)
            .flatMap(node -> source.mapping(node, "the file", EXPECTED));
    SourceFile readAs = RlsCompatibility.is(source.file(), root) ? source.asRls() : source;
    new TopLevel(readAs, draft).read(root);
  }

  /** Decodes {@code bytes} strictly, because SnakeYAML would silently replace invalid UTF-8. */
  private Optional<String> text(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      return fault(
          SourcePlace.startOf(source.file()), "the file is larger than 1 MiB, expected less");
    }
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    CharBuffer chars = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), chars, true);
    String text = chars.flip().toString();
    if (result.isError()) {
      return fault(endOf(text), "bytes that are not UTF-8, expected UTF-8 text");
    }
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    int bad = unprintable(text);
    if (bad >= 0) {
      return fault(
          endOf(text.substring(0, bad)),
          "character U+%04X, expected printable text".formatted(text.codePointAt(bad)));
    }
    return Optional.of(text);
  }

  private static int unprintable(String text) {
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      if (!StreamReader.isPrintable(c)) {
        return at;
      }
      at += Character.charCount(c);
    }
    return -1;
  }

  /** Returns the place behind the end of {@code text}. */
  private SourcePlace endOf(String text) {
    int line = 1 + (int) text.chars().filter(c -> c == '\n').count();
    int start = text.lastIndexOf('\n') + 1;
    return new SourcePlace(source.file(), line, 1 + text.codePointCount(start, text.length()));
  }

  private Optional<Node> compose(String text) {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MAX_BYTES);
    options.setNestingDepthLimit(DEEPEST);
    options.setMaxAliasesForCollections(MOST_ALIASES);
    options.setAllowRecursiveKeys(false);
    Steps parser = new Steps(new ParserImpl(new StreamReader(text), options));
    try {
      // An empty file has no node; it sets nothing.
      return Optional.ofNullable(new Composer(parser, new Resolver(), options).getSingleNode());
    } catch (MarkedYAMLException e) {
      YamlProblem problem = YamlProblem.of(e, text);
      return fault(
          problem.mark() == null
              ? SourcePlace.startOf(source.file())
              : SourcePlace.of(source.file(), problem.mark()),
          "not YAML: " + oneLine(problem.message()));
    } catch (YAMLException | IllegalArgumentException e) {
      // Too deep, too many aliases, or an invalid tag; only the parser knows the position.
      return fault(
          parser.last == null
              ? SourcePlace.startOf(source.file())
              : SourcePlace.of(source.file(), parser.last.getStartMark()),
          "cannot be read: %s, expected plain YAML of at most %d levels and %d aliases"
              .formatted(oneLine(String.valueOf(e.getMessage())), DEEPEST, MOST_ALIASES));
    }
  }

  /** A parser that remembers its current event. */
  private static final class Steps implements Parser {
    private final Parser parser;
    private @Nullable Event last;

    Steps(Parser parser) {
      this.parser = parser;
    }

    @Override
    public boolean checkEvent(Event.ID choice) {
      return parser.checkEvent(choice);
    }

    @Override
    public Event peekEvent() {
      last = parser.peekEvent();
      return last;
    }

    @Override
    public Event getEvent() {
      last = parser.getEvent();
      return last;
    }
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  private <T> Optional<T> fault(SourcePlace sourcePlace, String message) {
    draft.fault(sourcePlace, message);
    return Optional.empty();
  }
}
