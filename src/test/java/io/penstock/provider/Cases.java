package io.penstock.provider;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.BodyEdit;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.WeighedRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Feeds readers and writes the results as readable text. */
public final class Cases {
  static final long MAX_BODY_BYTES = 32L << 20;

  private Cases() {}

  public static EndpointSpec.Reading reading(Dialect dialect) {
    return EndpointSetup.reading(dialect, CostSource.BODY, 1, 256, MAX_BODY_BYTES);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static WeighedRequest weigh(Dialect dialect, String path, byte[] body) {
    RequestReader reader = ProviderProtocol.of(dialect).requestReader(reading(dialect), path);
    reader.feed(ByteBuffer.wrap(body));
    return reader.finish();
  }

  public static WeighedRequest chat(String body) {
    return weigh(DialectTable.OPENAI, "/v1/chat/completions", bytes(body));
  }

  public static WeighedRequest embeddings(String body) {
    return weigh(DialectTable.OPENAI, "/v1/embeddings", bytes(body));
  }

  public static WeighedRequest messages(String body) {
    return weigh(DialectTable.ANTHROPIC, "/v1/messages", bytes(body));
  }

  public static Cost cost(WeighedRequest weighed) {
    if (weighed instanceof WeighedRequest.Request request) {
      return request.cost();
    }
    throw new AssertionError("expected a request, was " + weighed);
  }

  public static AnswerReader answer(Dialect dialect, String body) {
    AnswerReader reader = ProviderProtocol.of(dialect).answerReader();
    reader.feed(ByteBuffer.wrap(bytes(body)));
    return reader;
  }

  /**
   * Feeds {@code body} to {@code feed} in two pieces, cut at {@code at}, from buffers with offsets.
   */
  public static void cut(byte[] body, int at, java.util.function.Consumer<ByteBuffer> feed) {
    ByteBuffer direct = ByteBuffer.allocateDirect(body.length + 7).position(7);
    direct.put(body).flip().position(7);
    ByteBuffer head = direct.duplicate().limit(7 + at);
    ByteBuffer tail = direct.duplicate().position(7 + at);
    feed.accept(head);
    feed.accept(tail.asReadOnlyBuffer());
    if (head.hasRemaining()) {
      throw new AssertionError("bytes were left, expected all consumed");
    }
  }

  public static String describe(WeighedRequest weighed) {
    return switch (weighed) {
      case WeighedRequest.Malformed malformed -> "malformed: " + malformed.detail() + "\n";
      case WeighedRequest.Request request ->
          """
          model: %s
          stream: %s
          input_tokens: %d
          output_tokens: %d
          stated_output_tokens: %d
          """
                  .formatted(
                      request.model(),
                      request.stream(),
                      request.cost().inputTokens(),
                      request.cost().outputTokens(),
                      request.cost().statedOutputTokens())
              + unusual(request);
    };
  }

  /** Returns a line for each property that most requests do not have. */
  private static String unusual(WeighedRequest.Request request) {
    BodyEdit asks = request.spots().asksUsage();
    String referred = request.traits().refersTo();
    return (asks == null
            ? ""
            : "asks_usage: %d, %d, %s%n".formatted(asks.at(), asks.length(), asks.text()))
        + (request.traits().costFinal() ? "cost_stands: true\n" : "")
        + (request.content().unseenInput() ? "unseen_input: true\n" : "")
        + (referred == null ? "" : "refers_to: " + referred + "\n");
  }

  public static String describe(AnswerReader reader) {
    TokenUsage tokenUsage = reader.usage();
    String text =
        tokenUsage == null
            ? "none"
            : "%d in, %d of it cached%s, %d out%s"
                .formatted(
                    tokenUsage.inputTokens(),
                    tokenUsage.cacheReadTokens(),
                    some(tokenUsage.cacheWriteTokens(), " and %d to be"),
                    tokenUsage.outputTokens(),
                    some(tokenUsage.reasoningTokens(), ", %d of it reasoning"));
    String model = reader.model();
    String warning = reader.warning();
    return "model: %s%nusage: %s%nproduced_tokens: %d%nwarning: %s%n"
        .formatted(
            model == null ? "unknown" : model,
            text,
            reader.producedTokens(),
            warning == null ? "none" : warning);
  }

  private static String some(long tokens, String words) {
    return tokens == 0 ? "" : words.formatted(tokens);
  }
}
