package io.penstock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.tokenizer.TextTokenizers;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures the cost of estimating a request of 1 KiB and of finding the usage in its answer,
 * compared with parsing the same bytes to a tree, as most gateways do.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class ReadingBenchmark {
  private static final String MODEL = "gpt-4o-mini";
  private static final String QUESTION =
      "Why does the water stand still above the mill and run below it? ".repeat(14).strip();
  private static final byte[] ASKED =
      ("{\"model\":\""
              + MODEL
              + "\",\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"")
          .concat(QUESTION + "\"}]}")
          .getBytes(UTF_8);
  private static final byte[] ANSWERED =
      ("{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"model\":\"gpt-4o-mini\",\"choices\":"
           + "[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"")
          .concat("It waits until the turbine has room for it. ".repeat(16))
          .concat("\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":196,")
          .concat("\"completion_tokens\":80,\"total_tokens\":276}}")
          .getBytes(UTF_8);
  private static final EndpointSpec.Reading READING =
      EndpointSetup.reading(DialectTable.OPENAI, CostSource.BODY, 1, 256, 32 << 20);
  private static final String PATH = "/v1/chat/completions";

  private final ProviderProtocol providerProtocol = DialectTable.OPENAI;
  private final JsonMapper json = new JsonMapper();
  private final TextTokenizers tokenizers = new TextTokenizers();
  private final Encoding encoding =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  /** Loads the token table. */
  @Setup
  public void load() {
    Awaitility.await().until(() -> weigh().tokenized());
  }

  /** Stops the threads. */
  @TearDown
  public void close() {
    tokenizers.close();
  }

  /** Reads a request and counts its tokens. */
  @Benchmark
  public RequestContent weigh() {
    RequestReader reader = providerProtocol.requestReader(READING, PATH);
    reader.feed(ByteBuffer.wrap(ASKED));
    if (reader.finish() instanceof WeighedRequest.Request request) {
      return Objects.requireNonNull(tokenizers.atOnce(request.tokenizerInput()));
    }
    throw new IllegalStateException("expected a request that can be weighed");
  }

  /** Parses a request to a tree, and counts its text with the library. */
  @Benchmark
  public int weighOfTree() {
    JsonNode tree = json.readTree(ASKED);
    String text = tree.get("messages").get(0).get("content").asString();
    return encoding.countTokensOrdinary(text) + tree.get("max_tokens").asInt();
  }

  /** Reads an answer for its usage. */
  @Benchmark
  public @Nullable TokenUsage usage() {
    AnswerReader reader = providerProtocol.answerReader();
    reader.feed(ByteBuffer.wrap(ANSWERED));
    reader.finish();
    TokenUsage tokenUsage = reader.usage();
    reader.close();
    return tokenUsage;
  }

  /** Parses an answer to a tree, and finds its usage there. */
  @Benchmark
  public int usageOfTree() {
    JsonNode usage = json.readTree(ANSWERED).get("usage");
    return usage.get("prompt_tokens").asInt() + usage.get("completion_tokens").asInt();
  }
}
