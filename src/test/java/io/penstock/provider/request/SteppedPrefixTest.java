package io.penstock.provider.request;

import static io.penstock.provider.request.PrefixCases.CHAT;
import static io.penstock.provider.request.PrefixCases.RESPONSES;
import static io.penstock.provider.request.PrefixCases.fingerprints;
import static io.penstock.provider.request.PrefixCases.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.prefix.Boundary;
import io.penstock.prefix.PromptPrefix;
import io.penstock.prefix.SteppedSection;
import io.penstock.provider.DialectName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SteppedPrefixTest {
  private static final String GEMINI = "/v1beta/models/gemini-2.5-flash:generateContent";
  private static final String DEPLOYMENT = "/openai/deployments/d/chat/completions";

  /** The calls whose prompts are cached, each with three sections. */
  enum Call {
    CHAT_COMPLETION(
        "openai",
        CHAT,
        "\"tools\":[{\"type\":\"function\",\"function\":{\"description\":\"%s\"}}]",
        "\"response_format\":{\"type\":\"json_schema\",\"x\":\"%s\"}",
        "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"content\":\"%s\"}]"),
    DEPLOYED_CHAT(
        "azure",
        DEPLOYMENT,
        "\"tools\":[{\"type\":\"function\",\"function\":{\"description\":\"%s\"}}]",
        "\"response_format\":{\"type\":\"json_schema\",\"x\":\"%s\"}",
        "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"content\":\"%s\"}]"),
    RESPONSE(
        "openai",
        RESPONSES,
        "\"tools\":[{\"type\":\"function\",\"description\":\"%s\"}]",
        "\"instructions\":\"%s\"",
        "\"input\":[{\"role\":\"user\",\"content\":[{\"text\":\"%s\"}]}]"),
    CONTENT(
        "gemini",
        GEMINI,
        "\"tools\":[{\"functionDeclarations\":[{\"description\":\"%s\"}]}]",
        "\"systemInstruction\":{\"parts\":[{\"text\":\"%s\"}]}",
        "\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"%s\"}]}]");

    private final String dialect;
    private final String path;
    private final String tools;
    private final String system;
    private final String messages;

    Call(String dialect, String path, String tools, String system, String messages) {
      this.dialect = dialect;
      this.path = path;
      this.tools = tools;
      this.system = system;
      this.messages = messages;
    }

    List<String> members(String ofTools, String ofSystem, String ofMessages) {
      List<String> all = new ArrayList<>();
      all.add(tools.formatted(ofTools));
      all.add(system.formatted(ofSystem));
      all.add(messages.formatted(ofMessages));
      return all;
    }

    String body(List<String> members) {
      return "{\"model\":\"m\"," + String.join(",", members) + "}";
    }

    WeighedRequest.Request read(String body) {
      return PrefixCases.request(DialectName.of(dialect), path, body);
    }

    List<Boundary> boundaries(String body) {
      return read(body).prefix().boundaries();
    }
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void longPrompt_hasABoundaryEachThousandTokens(Call call) {
    String body = call.body(call.members(text("a", 9_000), text("b", 5_000), text("c", 40_000)));
    WeighedRequest.Request request = call.read(body);
    List<Boundary> boundaries = request.prefix().boundaries();
    assertThat(boundaries).hasSize(2 + 1 + 9);
    assertThat(boundaries).extracting(Boundary::lifetimeSeconds).containsOnly(300);
    assertThat(fingerprints(boundaries)).doesNotHaveDuplicates();
    long whole = request.content().textTokens() + request.content().otherTokens();
    long before = 0;
    for (Boundary boundary : boundaries) {
      assertThat(boundary.tokens() - before).isBetween(900L, 1_024L + 1_024L);
      before = boundary.tokens();
    }
    assertThat(whole - before).isBetween(0L, 1_024L);
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void shortPrompt_hasNone(Call call) {
    assertThat(call.boundaries(call.body(call.members("a", "b", text("c", 3_000))))).isEmpty();
    assertThat(call.boundaries("{\"model\":\"m\"}")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void promptsWithOneBeginning_shareItsBoundaries(Call call) {
    String same = text("c", 20_000);
    List<Long> one =
        fingerprints(call.boundaries(call.body(call.members("a", "b", same + text("x", 9_000)))));
    List<Long> other =
        fingerprints(call.boundaries(call.body(call.members("a", "b", same + text("y", 9_000)))));
    assertThat(one).hasSameSizeAs(other);
    assertThat(one.subList(0, 4)).isEqualTo(other.subList(0, 4));
    assertThat(one.subList(5, one.size())).doesNotContainAnyElementsOf(other);
    List<Long> otherTool =
        fingerprints(call.boundaries(call.body(call.members("z", "b", same + text("x", 9_000)))));
    assertThat(otherTool).doesNotContainAnyElementsOf(one);
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void membersInAnotherOrder_sameBoundaries(Call call) {
    List<String> members = call.members(text("a", 5_000), text("b", 5_000), text("c", 5_000));
    List<Boundary> expected = call.boundaries(call.body(members));
    assertThat(expected).hasSize(3);
    Random random = new Random(5);
    for (int round = 0; round < 20; round++) {
      Collections.shuffle(members, random);
      assertThat(call.boundaries(call.body(members))).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void piecesAndWhiteSpace_changeNothing(Call call) {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      String words = "é\\\"\\u00e9🌊" + seed;
      String many = "x\"},{\"content\":\"".repeat(random.nextInt(3) * 100);
      String body =
          call.body(
              call.members(
                  text(words, random.nextInt(9_000) + 50),
                  text(words, random.nextInt(9_000) + 50),
                  (call.path.endsWith("completions") ? many : "")
                      + text(words, random.nextInt(30_000) + 50)));
      PromptPrefix expected = call.read(body).prefix();
      for (int most : new int[] {1, 100, 4_096, 100_000}) {
        String written = random.nextBoolean() ? body : PrefixCases.spaced(body, random);
        assertThat(
                PrefixCases.inPieces(
                    DialectName.of(call.dialect), call.path, written, most, random))
            .as("seed %d, pieces of at most %d bytes", seed, most)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void minimum_ofTheProvider_decidesWhatIsStored() {
    String short1 = "{\"role\":\"assistant\",\"content\":\"word\"},".repeat(200);
    List<Boundary> chat =
        PrefixCases.boundaries(
            DialectTable.OPENAI, CHAT, "{\"model\":\"m\",\"messages\":[" + short1 + "{}]}");
    // names of roles are no text, so the first 4,096 bytes have fewer tokens than usual
    assertThat(chat).extracting(Boundary::stored).containsExactly(false);
    assertThat(chat.getFirst().tokens()).isBetween(500L, 600L);
    String content = text("c", 20_000);
    List<Boundary> gemini =
        Call.CONTENT.boundaries("{" + Call.CONTENT.members("", "", content).getLast() + "}");
    assertThat(gemini).extracting(Boundary::stored).containsExactly(false, false, true, true);
  }

  @Test
  void dataOfAnImage_hasNoBoundaries() {
    String image =
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:" + "QUJD".repeat(50_000) + "\"}}";
    String body = "{\"model\":\"m\",\"messages\":[{\"content\":[%s%s]}]}";
    String said = "{\"type\":\"text\",\"text\":\"" + text("a", 5_000) + "\"}";
    List<Boundary> alone =
        PrefixCases.boundaries(DialectTable.OPENAI, CHAT, body.formatted("", said));
    assertThat(alone).hasSize(1);
    assertThat(PrefixCases.boundaries(DialectTable.OPENAI, CHAT, body.formatted(said + ",", image)))
        .hasSizeLessThanOrEqualTo(2)
        .startsWith(alone.toArray(Boundary[]::new));
    assertThat(PrefixCases.boundaries(DialectTable.OPENAI, CHAT, body.formatted(image + ",", said)))
        .hasSizeBetween(1, 3);
  }

  @Test
  void promptOfAnySize_hasAtMostSoManyBoundaries() {
    for (int extra : new int[] {-1, 0, 1, 100}) {
      int bytes = (SteppedSection.MAX_BOUNDARIES + extra) * SteppedSection.STEP_BYTES;
      assertThat(
              PrefixCases.boundaries(
                  DialectTable.OPENAI,
                  RESPONSES,
                  "{\"model\":\"m\",\"input\":\"" + "x".repeat(bytes) + "\"}"))
          .hasSize(SteppedSection.MAX_BOUNDARIES + Math.min(extra, 0));
    }
    String many = "{\"content\":\"word\"},".repeat(200_000);
    assertThat(
            PrefixCases.boundaries(
                DialectTable.OPENAI, CHAT, "{\"model\":\"m\",\"messages\":[" + many + "{}]}"))
        .hasSize(SteppedSection.MAX_BOUNDARIES);
  }

  @Test
  void nothing_inPlaceOfASection_isLikeNoSection() {
    String input = "\"input\":\"" + text("a", 9_000) + "\"";
    assertThat(
            PrefixCases.boundaries(
                DialectTable.OPENAI,
                RESPONSES,
                "{\"model\":\"m\",\"tools\":null,\"instructions\":null," + input + "}"))
        .isEqualTo(
            PrefixCases.boundaries(
                DialectTable.OPENAI, RESPONSES, "{\"model\":\"m\"," + input + "}"))
        .hasSize(2);
  }

  @Test
  void otherCalls_haveNone() {
    String text = text("a", 9_000);
    assertThat(
            PrefixCases.boundaries(
                DialectTable.OPENAI,
                "/v1/embeddings",
                "{\"model\":\"m\",\"input\":\"" + text + "\"}"))
        .isEmpty();
    assertThat(
            PrefixCases.boundaries(
                DialectTable.OPENAI,
                "/v1/completions",
                "{\"model\":\"m\",\"prompt\":\"" + text + "\"}"))
        .isEmpty();
  }
}
