package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.request.RequestReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares results for recorded cases: {@code golden/DIALECT/CASE.request.json} with its estimated
 * cost, and so on.
 */
class GoldenTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  @TestFactory
  Stream<DynamicTest> request_readAsGolden_whereverCut() {
    return cases(".request.json").map(file -> named(file, () -> checkRequest(file)));
  }

  @TestFactory
  Stream<DynamicTest> answer_readAsGolden_whereverCut() {
    return Stream.of(".answer.json", ".answer.sse")
        .flatMap(GoldenTest::cases)
        .map(file -> named(file, () -> checkAnswer(file, read(file))));
  }

  @TestFactory
  Stream<DynamicTest> stream_readTheSame_withOtherLineEnds() {
    return cases(".answer.sse")
        .flatMap(
            file -> {
              String text = new String(read(file), StandardCharsets.UTF_8);
              return Stream.of(
                      text.replace("\n", "\r\n"),
                      text.replace("\n", "\r"),
                      "\uFEFF" + text,
                      text.replace("data: ", "data:"),
                      text.replace("data: [DONE]\n\n", "").stripTrailing())
                  .map(other -> named(file, () -> checkAnswer(file, Cases.bytes(other))));
            });
  }

  @Test
  void goldenFiles_eachHaveTheirCase() throws IOException {
    try (Stream<Path> files = Files.walk(GOLDEN)) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      assertThat(all).hasSizeGreaterThan(20);
      for (Path file : all) {
        String name = file.getFileName().toString();
        if (name.endsWith(".answer.json.golden") || name.endsWith(".answer.sse.golden")) {
          assertThat(file.resolveSibling(name.replace(".golden", ""))).exists();
        } else if (name.endsWith(".golden")) {
          assertThat(file.resolveSibling(name.replace(".golden", ".json"))).exists();
        }
      }
    }
  }

  private static void checkRequest(Path file) {
    byte[] body = read(file);
    String expected =
        text(file.resolveSibling(file.getFileName().toString().replace(".json", ".golden")));
    Dialect dialect = dialect(file);
    String path = path(file);
    assertThat(Cases.describe(Cases.weigh(dialect, path, body))).isEqualTo(expected);
    ProviderProtocol providerProtocol = ProviderProtocol.of(dialect);
    for (int at = 0; at <= body.length; at++) {
      RequestReader reader = providerProtocol.requestReader(Cases.reading(dialect), path);
      Cases.cut(body, at, reader::feed);
      assertThat(Cases.describe(reader.finish())).as("cut at %d", at).isEqualTo(expected);
    }
    RequestReader bytewise = providerProtocol.requestReader(Cases.reading(dialect), path);
    for (byte b : body) {
      bytewise.feed(ByteBuffer.wrap(new byte[] {b}));
    }
    assertThat(Cases.describe(bytewise.finish())).isEqualTo(expected);
  }

  private static void checkAnswer(Path file, byte[] body) {
    String expected = text(file.resolveSibling(file.getFileName() + ".golden"));
    ProviderProtocol providerProtocol = ProviderProtocol.of(dialect(file));
    AnswerReader whole = providerProtocol.answerReader();
    whole.feed(ByteBuffer.wrap(body));
    assertThat(Cases.describe(whole)).isEqualTo(expected);
    for (int at = 0; at <= body.length; at++) {
      AnswerReader reader = providerProtocol.answerReader();
      Cases.cut(body, at, reader::feed);
      assertThat(Cases.describe(reader)).as("cut at %d", at).isEqualTo(expected);
    }
    AnswerReader bytewise = providerProtocol.answerReader();
    long before = 0;
    for (byte b : body) {
      bytewise.feed(ByteBuffer.wrap(new byte[] {b}));
      assertThat(bytewise.producedTokens()).isGreaterThanOrEqualTo(before);
      before = bytewise.producedTokens();
    }
    assertThat(Cases.describe(bytewise)).isEqualTo(expected);
  }

  private static DynamicTest named(Path file, org.junit.jupiter.api.function.Executable check) {
    return DynamicTest.dynamicTest(GOLDEN.relativize(file).toString(), check);
  }

  private static Stream<Path> cases(String suffix) {
    try (Stream<Path> files = Files.walk(GOLDEN)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
      assertThat(found).as("cases named *%s", suffix).isNotEmpty();
      return found.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Dialect dialect(Path file) {
    String folder = GOLDEN.relativize(file).getName(0).toString();
    return DialectName.of(folder);
  }

  private static String path(Path file) {
    String name = file.getFileName().toString();
    if (dialect(file).equals(DialectTable.GEMINI)) {
      return "/v1beta/models/gemini-2.5-flash:" + geminiCall(name);
    }
    if (dialect(file).equals(DialectTable.AZURE) && !name.contains("-v1.")) {
      return "/openai/deployments/gpt-4o-eu" + path(name).substring("/v1".length());
    }
    return path(name);
  }

  private static String path(String name) {
    if (name.startsWith("chat")) {
      return "/v1/chat/completions";
    }
    if (name.startsWith("fim")) {
      return "/v1/fim/completions";
    }
    for (String call : List.of("completions", "responses", "embeddings")) {
      if (name.startsWith(call)) {
        return "/v1/" + call;
      }
    }
    return "/v1/messages";
  }

  private static String geminiCall(String name) {
    if (name.startsWith("embed")) {
      return "embedContent";
    }
    if (name.startsWith("batch")) {
      return "batchEmbedContents";
    }
    return name.startsWith("stream") ? "streamGenerateContent" : "generateContent";
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    return new String(read(file), StandardCharsets.UTF_8);
  }
}
