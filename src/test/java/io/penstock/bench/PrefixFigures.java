package io.penstock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.prefix.HashKey;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.WeighedRequest;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures what the fingerprints of prompts add to reading a body, in processor time. Rounds with
 * and without them alternate, so that both meet the same disturbances; the medians are compared.
 */
@Isolated("measures")
class PrefixFigures {
  private static final int ROUNDS = 100;
  private static final int WARM_ROUNDS = 150;
  private static final long BYTES_A_ROUND = 1L << 20;

  /** A piece as it comes from a connection. */
  private static final int PIECE_BYTES = 16 << 10;

  private static final int MOST_BYTES = 32 << 20;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final FigureTable figureTable = new FigureTable();
  private long boundaries;

  /** Returns the body of a call by an agent: a third tools, and a conversation with tool calls. */
  private static byte[] agentCall(int bytes, boolean anthropic, EnglishText english) {
    SplittableRandom random = new SplittableRandom(bytes);
    StringBuilder body = new StringBuilder("{\"model\":\"m\",\"max_tokens\":900,\"tools\":[");
    for (int i = 0; i == 0 || body.length() < bytes / 3; i++) {
      body.append(i == 0 ? "" : ",")
          .append("{\"name\":\"tool_")
          .append(i)
          .append("\",\"description\":")
          .append(quoted(english.slice(Math.min(300, bytes / 12), random)))
          .append(",\"input_schema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":")
          .append("\"string\",\"description\":\"the file\"},\"limit\":{\"type\":\"integer\"}},")
          .append("\"required\":[\"path\"],\"additionalProperties\":false}}");
    }
    body.append("],\"messages\":[");
    String mark = anthropic ? ",\"cache_control\":{\"type\":\"ephemeral\"}" : "";
    while (body.length() < bytes - 300) {
      int size = Math.max(40, Math.min(random.nextInt(3_000), bytes - body.length()) - 150);
      body.append("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":")
          .append(quoted(english.slice(size, random)))
          .append("}]},{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"")
          .append(random.nextInt(1 << 30))
          .append("\",\"name\":\"tool_1\",\"input\":{\"path\":\"/a/b.java\",\"limit\":100}}]},");
    }
    body.append("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"go on\"")
        .append(mark)
        .append("}]}]}");
    return body.toString().getBytes(UTF_8);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  /** Reads the body repeatedly, and returns the nanoseconds of processor time of each time. */
  private double round(ByteBuffer body, Supplier<BodyMembers> tables, boolean fingerprints) {
    EndpointSpec.Reading reading =
        EndpointSetup.reading(DialectTable.NONE, CostSource.BODY, 1, 256, MOST_BYTES);
    int times = (int) Math.max(1, BYTES_A_ROUND / body.capacity());
    long before = threads.getCurrentThreadCpuTime();
    for (int time = 0; time < times; time++) {
      BodyMembers members = tables.get();
      BodyReader reader =
          new BodyReader(
              reading, fingerprints ? members : members.prompt(null), HashKey.OF_PROCESS);
      for (int at = 0; at < body.capacity(); at += PIECE_BYTES) {
        int bytes = Math.min(PIECE_BYTES, body.capacity() - at);
        reader.feed(body.slice(at, bytes));
      }
      if (!(reader.finish() instanceof WeighedRequest.Request request)) {
        throw new AssertionError("was not read");
      }
      boundaries += request.prefix().boundaries().size();
    }
    return (double) (threads.getCurrentThreadCpuTime() - before) / times;
  }

  private void compare(
      String what, byte[] bytes, ProviderProtocol protocol, String path, double mostPercent) {
    Supplier<BodyMembers> tables = requireNonNull(protocol.call(path)).body();
    ByteBuffer body = ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
    double[] with = new double[ROUNDS];
    double[] without = new double[ROUNDS];
    for (int round = -WARM_ROUNDS; round < ROUNDS; round++) {
      boolean first = round % 2 == 0;
      double one = round(body, tables, first);
      double other = round(body, tables, !first);
      if (round >= 0) {
        with[round] = first ? one : other;
        without[round] = first ? other : one;
      }
    }
    Arrays.sort(with);
    Arrays.sort(without);
    double median = with[ROUNDS / 2];
    double alone = without[ROUNDS / 2];
    double percent = 100 * (median / alone - 1);
    figureTable.add(
        "%s, %,d bytes: at most %.0f %% of reading".formatted(what, bytes.length, mostPercent),
        percent <= mostPercent,
        "%.1f µs beside %.1f µs, %+.1f %%".formatted(median / 1e3, alone / 1e3, percent));
  }

  @Test
  @Timeout(600)
  void fingerprints_addLittleToReading() throws IOException {
    EnglishText english = EnglishText.read();
    for (int bytes : new int[] {2_000, 40_000, 400_000}) {
      compare(
          "messages", agentCall(bytes, true, english), DialectTable.ANTHROPIC, "/v1/messages", 35);
      compare(
          "chat",
          agentCall(bytes, false, english),
          DialectTable.OPENAI,
          "/v1/chat/completions",
          15);
    }
    System.out.println(figureTable);
    assertThat(boundaries).isPositive();
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }
}
