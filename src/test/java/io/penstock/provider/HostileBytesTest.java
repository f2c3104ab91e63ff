package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.StatedModel;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.suite.Hostile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Feeds golden cases, broken and cut at random; a failure prints its seed. */
@Hostile(Hostile.By.CLIENT)
class HostileBytesTest {
  private static final int ROUNDS = Boolean.getBoolean("penstock.deep") ? 4_000 : 800;
  private static final List<String> PATHS =
      List.of(
          "/v1/chat/completions",
          "/v1/completions",
          "/v1/responses",
          "/v1/embeddings",
          "/v1/messages",
          "/v1beta/models/m:generateContent",
          "/v1beta/models/m:batchEmbedContents");
  private static final byte[] TELLING = Cases.bytes("{}[]\",:\\u\n\r\t 0-9.eE\u00e9\ud83d\ude00");

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void brokenInput_neverThrows_neverDependsOnCuts_allocatesInProportion() throws IOException {
    List<byte[]> cases = cases();
    for (long seed : new long[] {1, 2, ThreadLocalRandom.current().nextLong()}) {
      Random random = new Random(seed);
      for (int round = 0; round < ROUNDS; round++) {
        byte[] body = mutate(cases.get(random.nextInt(cases.size())), random);
        try {
          check(body, random);
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + seed + ", round " + round, e);
        }
      }
    }
  }

  private void check(byte[] body, Random random) {
    // classes loaded in the first round, a reader, and a generous multiple of the input
    long allowed = 256_000 + 100L * body.length;
    for (ProviderProtocol dialect : DialectTable.ALL) {
      ProviderProtocol providerProtocol = dialect;
      for (String path : PATHS) {
        RequestReader whole = providerProtocol.requestReader(Cases.reading(dialect), path);
        RequestReader cut = providerProtocol.requestReader(Cases.reading(dialect), path);
        whole.feed(ByteBuffer.wrap(body));
        long before = threads.getCurrentThreadAllocatedBytes();
        feed(body, random, cut::feed);
        WeighedRequest weighed = cut.finish();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(allowed);
        assertThat(comparable(weighed)).isEqualTo(comparable(whole.finish()));
      }
      AnswerReader whole = providerProtocol.answerReader();
      AnswerReader cut = providerProtocol.answerReader();
      whole.feed(ByteBuffer.wrap(body));
      long before = threads.getCurrentThreadAllocatedBytes();
      feed(body, random, cut::feed);
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(allowed);
      assertThat(cut.usage()).isEqualTo(whole.usage());
      assertThat(cut.model()).isEqualTo(whole.model()).matches(HostileBytesTest::isBounded);
      assertThat(cut.producedTokens()).isEqualTo(whole.producedTokens());
      assertThat(cut.error()).isEqualTo(whole.error());
      assertThat(cut.warning() == null).isEqualTo(whole.warning() == null);
    }
  }

  private static boolean isBounded(String model) {
    return model == null || model.length() <= StatedModel.MAX_LENGTH;
  }

  /**
   * Returns a form for comparisons: the position at which a fault is noticed may depend on the
   * cuts, its presence must not.
   */
  private static Object comparable(WeighedRequest weighed) {
    return weighed instanceof WeighedRequest.Request ? weighed : "malformed";
  }

  private static void feed(byte[] body, Random random, Consumer<ByteBuffer> feed) {
    int at = 0;
    while (at < body.length) {
      int length = Math.min(body.length - at, 1 + random.nextInt(random.nextBoolean() ? 3 : 400));
      ByteBuffer piece = ByteBuffer.wrap(body, at, length);
      feed.accept(piece);
      assertThat(piece.remaining()).isZero();
      at += length;
    }
  }

  private static byte[] mutate(byte[] original, Random random) {
    byte[] body = original.clone();
    for (int edits = random.nextInt(5); edits >= 0 && body.length > 1; edits--) {
      int at = random.nextInt(body.length);
      int other = random.nextInt(body.length);
      switch (random.nextInt(6)) {
        case 0 -> body[at] = (byte) random.nextInt(256);
        case 1 -> body[at] = TELLING[random.nextInt(TELLING.length)];
        case 2 -> body = Arrays.copyOf(body, at);
        case 3 -> body = Arrays.copyOfRange(body, at, body.length);
        case 4 -> {
          int length = Math.min(body.length - Math.max(at, other), random.nextInt(200));
          System.arraycopy(body, other, body, at, length);
        }
        default -> {
          byte[] twice = Arrays.copyOf(body, body.length * 2);
          System.arraycopy(body, 0, twice, body.length, body.length);
          body = twice;
        }
      }
    }
    return body;
  }

  private static List<byte[]> cases() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/test/resources/golden"))) {
      List<Path> found =
          files
              .filter(file -> file.toString().endsWith(".json") || file.toString().endsWith(".sse"))
              .sorted()
              .toList();
      assertThat(found).hasSizeGreaterThan(10);
      byte[][] bodies = new byte[found.size()][];
      for (int i = 0; i < bodies.length; i++) {
        bodies[i] = Files.readAllBytes(found.get(i));
      }
      return List.of(bodies);
    }
  }
}
