package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that do not conform to their dialect: one warning, and the readable part counts. */
class BadAnswerTest {
  /** Samples of one kind of answer: its usage with input and output, and a contradictory usage. */
  record Shape(Dialect dialect, String usage, String contradiction, String stream) {
    String json(String input, String output) {
      return usage.formatted(input, output);
    }

    String events(String json) {
      return stream.formatted(json);
    }

    AnswerReader read(String body) {
      return Cases.answer(dialect, body);
    }
  }

  static List<Shape> shapes() {
    return List.of(
        new Shape(
            DialectTable.OPENAI,
            "{\"usage\":{\"prompt_tokens\":%s,\"completion_tokens\":%s}}",
            "{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5,\"total_tokens\":2}}",
            "data: %s\n\n"),
        new Shape(
            DialectTable.OPENAI,
            "{\"usage\":{\"input_tokens\":%s,\"output_tokens\":%s}}",
            "{\"usage\":{\"input_tokens\":7,\"input_tokens_details\":{\"cached_tokens\":8},"
                + "\"output_tokens\":5}}",
            "event: response.completed\ndata: {\"response\":%s}\n\n"),
        new Shape(
            DialectTable.OPENAI,
            "{\"usage\":{\"input_tokens\":%s,\"output_tokens\":%s}}",
            "{\"usage\":{\"input_tokens\":7,\"output_tokens\":5,"
                + "\"output_tokens_details\":{\"reasoning_tokens\":-6}}}",
            "data: {\"type\":\"response.incomplete\",\"response\":%s}\n\n"),
        new Shape(
            DialectTable.ANTHROPIC,
            "{\"usage\":{\"input_tokens\":%s,\"output_tokens\":%s}}",
            "{\"usage\":{\"input_tokens\":7,\"output_tokens\":5,"
                + "\"cache_read_input_tokens\":-8}}",
            "event: message_delta\ndata: %s\n\n"));
  }

  static Stream<List<Object>> absurd() {
    List<String> figures =
        List.of("-1", "1e30", "9223372036854775808", "1.5", "\"5x\"", "true", "[5]", "{}");
    return shapes().stream()
        .flatMap(shape -> figures.stream().map(figure -> List.<Object>of(shape, figure)));
  }

  @ParameterizedTest
  @MethodSource("absurd")
  void figureThatIsNoCount_isNotTaken_theOtherIs(List<Object> absurd) {
    Shape shape = (Shape) absurd.getFirst();
    String figure = absurd.getLast().toString();
    boolean read = !figure.equals("[5]") && !figure.equals("{}");
    for (boolean stream : new boolean[] {false, true}) {
      String output = shape.json("7", figure);
      AnswerReader noOutput = shape.read(stream ? shape.events(output) : output);
      assertThat(noOutput.usage()).isEqualTo(new TokenUsage(7, 0, 0));
      assertThat(noOutput.warning() != null).isEqualTo(read);
      String input = shape.json(figure, "5");
      AnswerReader noInput = shape.read(stream ? shape.events(input) : input);
      assertThat(noInput.usage()).isNull();
      assertThat(noInput.producedTokens()).isEqualTo(5);
      assertThat(noInput.warning() != null).isEqualTo(read);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void usageThatContradictsItself_isTakenWithinItsBounds_withAWarning(Shape shape) {
    byte[] body = Cases.bytes(shape.events(shape.contradiction()));
    for (int at = 0; at <= body.length; at++) {
      AnswerReader reader = ProviderProtocol.of(shape.dialect()).answerReader();
      Cases.cut(body, at, reader::feed);
      TokenUsage tokenUsage = Objects.requireNonNull(reader.usage());
      assertThat(tokenUsage.inputTokens()).as("cut at %d", at).isEqualTo(7);
      assertThat(tokenUsage.outputTokens()).isEqualTo(5);
      assertThat(reader.warning()).isNotNull();
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void streamInABadState_neverThrows_andReadsWhatItCan(Shape shape) {
    String good = shape.events(shape.json("7", "5"));
    TokenUsage expected = new TokenUsage(7, 0, 5);
    List<String> read = new ArrayList<>();
    read.add("\uFEFF" + good);
    read.add(": comment\n\n: another\n" + good + "trailing garbage");
    read.add("data: " + "x".repeat(1 << 20) + "\n\n" + good);
    read.add("x".repeat(1 << 20) + "\n" + good);
    read.add(good.stripTrailing());
    read.add(good + good + "data: {\"usage\":null}\n\ndata: [DONE]\n\n");
    for (String stream : read) {
      AnswerReader reader = shape.read(stream);
      assertThat(reader.usage()).isEqualTo(expected);
    }
    // without a blank line it is a single event, which is not JSON
    String unparted = "data: {\"a\":1}\n" + good.replace("\n\n", "\n");
    AnswerReader reader = shape.read(unparted + "\n");
    assertThat(reader.usage()).isNull();
    assertThat(reader.warning()).contains("cannot be read");
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void answerWithGarbageBehindIt_keepsItsUsage_withAWarning(Shape shape) {
    for (String garbage : new String[] {"x", "]", "\u0000", "<html>"}) {
      AnswerReader reader = shape.read(shape.json("7", "5") + garbage);
      assertThat(reader.usage()).isEqualTo(new TokenUsage(7, 0, 5));
      assertThat(reader.warning()).contains("cannot be read");
    }
    byte[] marked = Cases.bytes("\uFEFF" + shape.json("7", "5"));
    for (int at = 0; at <= marked.length; at++) {
      AnswerReader reader = ProviderProtocol.of(shape.dialect()).answerReader();
      Cases.cut(marked, at, reader::feed);
      assertThat(reader.usage()).as("cut at %d", at).isEqualTo(new TokenUsage(7, 0, 5));
      assertThat(reader.warning()).isNull();
    }
  }
}
