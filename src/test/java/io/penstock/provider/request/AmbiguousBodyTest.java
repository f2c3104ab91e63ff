package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.DialectName;
import io.penstock.suite.Hostile;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests bodies that a provider may read otherwise than the gateway. */
class AmbiguousBodyTest {
  private static final String CHAT = "/v1/chat/completions";

  private static final String ASK = "\"model\":\"m\",\"messages\":[{\"content\":\"Hello\"}]";

  private static String fault(WeighedRequest weighed) {
    return weighed instanceof WeighedRequest.Malformed(String detail) ? detail : "none";
  }

  private static String fault(Dialect dialect, String path, String members) {
    return fault(Cases.weigh(dialect, path, Cases.bytes("{" + members + "}")));
  }

  private static Set<String> furtherModels(String members) {
    return Cases.chat("{" + ASK + "," + members + "}") instanceof WeighedRequest.Request request
        ? request.traits().furtherModels().stream()
            .map(NamedModel::name)
            .collect(Collectors.toSet())
        : Set.of("the body was refused");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "openai|/v1/chat/completions|model|`\"m\"`",
        "openai|/v1/chat/completions|messages|[]",
        "openai|/v1/chat/completions|max_tokens|5",
        "openai|/v1/chat/completions|max_completion_tokens|5",
        "openai|/v1/chat/completions|n|1",
        "openai|/v1/chat/completions|stream|false",
        "openai|/v1/chat/completions|tools|[]",
        "openai|/v1/chat/completions|models|[]",
        "openai|/v1/chat/completions|route|[]",
        "openai|/v1/completions|model|`\"m\"`",
        "openai|/v1/completions|prompt|`\"x\"`",
        "openai|/v1/completions|best_of|1",
        "openai|/v1/completions|max_tokens|5",
        "openai|/v1/embeddings|model|`\"m\"`",
        "openai|/v1/embeddings|input|`\"x\"`",
        "openai|/v1/responses|model|`\"m\"`",
        "openai|/v1/responses|input|`\"x\"`",
        "openai|/v1/responses|max_output_tokens|5",
        "openai|/v1/responses|background|false",
        "azure|/openai/deployments/d/chat/completions|messages|[]",
        "azure|/openai/deployments/d/chat/completions|model|`\"m\"`",
        "anthropic|/v1/messages|model|`\"m\"`",
        "anthropic|/v1/messages|messages|[]",
        "anthropic|/v1/messages|system|`\"x\"`",
        "anthropic|/v1/messages|max_tokens|5",
        "anthropic|/v1/messages|stream|false",
        "gemini|/v1beta/models/m:generateContent|contents|[]",
        "gemini|/v1beta/models/m:generateContent|generationConfig|{}",
        "gemini|/v1beta/models/m:generateContent|systemInstruction|{}",
        "gemini|/v1beta/models/m:generateContent|model|`\"m\"`",
        "gemini|/v1beta/models/m:embedContent|content|{}",
        "gemini|/v1beta/models/m:batchEmbedContents|requests|[]",
      })
  void memberThatIsThereTwice_inWhateverCase_isRefused(
      String dialect, String path, String name, String value) {
    Dialect spoken = DialectName.of(dialect);
    String model = name.equals("model") ? "" : "\"model\":\"m\",";
    String once = model + "\"" + name + "\":" + value;
    assertThat(fault(spoken, path, once)).isEqualTo("none");
    for (String again : new String[] {name, upper(name), escaped(name)}) {
      assertThat(fault(spoken, path, once + ",\"x\":1,\"" + again + "\":" + value))
          .as(again)
          .startsWith(name + " is there twice");
      assertThat(fault(spoken, path, "\"" + again + "\":null," + once))
          .as(again)
          .startsWith(name + " is there twice");
    }
    assertThat(fault(spoken, path, model + "\"" + upper(name) + "\":" + value))
        .startsWith(name + " is there in other letters");
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  /** Returns a name with its first letter written as an escape. */
  private static String escaped(String name) {
    return "\\u00%02x%s".formatted((int) name.charAt(0), name.substring(1));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void lettersThatOnlyFoldToOthers_countAsThose() {
    // Go compares the names of members by folding: the long s and the sign of the kelvin
    assertThat(fault(DialectTable.OPENAI, CHAT, ASK + ",\"me\u017fsages\":[]"))
        .startsWith("messages is there twice");
    assertThat(fault(DialectTable.OPENAI, CHAT, ASK + ",\"max_to\u212aens\":5,\"max_tokens\":5"))
        .startsWith("max_tokens is there twice");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"generationConfig\":{},\"generation_config\":{}",
        "\"systemInstruction\":{},\"system_instruction\":{}",
        "\"generationConfig\":{\"maxOutputTokens\":5,\"maxOutputTokens\":5}",
        "\"generationConfig\":{\"maxOutputTokens\":5,\"max_output_tokens\":9}",
        "\"generationConfig\":{\"maxOutputTokens\":5,\"MaxOutputTokens\":9}",
        "\"generationConfig\":{\"candidateCount\":1,\"candidate_count\":1}",
      })
  void memberOfGemini_inBothOfItsNames_isRefused(String members) {
    assertThat(fault(DialectTable.GEMINI, "/v1beta/models/m:generateContent", members))
        .contains("is there twice");
  }

  @Test
  void otherMembers_mayRepeat() {
    assertThat(
            fault(
                DialectTable.OPENAI,
                CHAT,
                ASK + ",\"metadata\":{\"model\":\"a\",\"model\":\"b\"},\"x\":1,\"x\":2,\"X\":3"))
        .isEqualTo("none");
  }

  @Test
  void bothMaximaOfOpenAi_areNoRepetition() {
    assertThat(
            fault(DialectTable.OPENAI, CHAT, ASK + ",\"max_tokens\":5,\"max_completion_tokens\":5"))
        .isEqualTo("none");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "C1 A5",
        "C0 AF",
        "E0 80 AF",
        "E0 9F BF",
        "F0 80 80 AF",
        "F0 8F BF BF", // overlong
        "ED A0 80",
        "ED BF BF", // halves of surrogate pairs
        "F4 90 80 80",
        "F5 80 80 80",
        "F8 88 80 80 80",
        "FF",
        "FE", // beyond Unicode
        "80",
        "BF",
        "C3",
        "E2 82",
        "F0 9F 98",
        "C3 28",
        "E2 28 A1",
        "F0 28 8C BC", // cut, or no start
      })
  void bytesThatAreNoUtf8_areRefused_inNamesAndTexts_whereverTheyAreCut(String hex) {
    byte[] bad = HexFormat.ofDelimiter(" ").parseHex(hex);
    for (String around :
        new String[] {"{\"model\":\"m\",\"x%\":1}", "{\"model\":\"m\",\"x\":\"%\"}"}) {
      byte[] body = with(around, bad);
      for (int at = 0; at <= body.length; at++) {
        RequestReader reader = reader();
        Cases.cut(body, at, reader::feed);
        assertThat(fault(reader.finish())).as("cut at %d", at).contains("not valid UTF-8");
      }
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void overlongLetterInAName_doesNotHideASecondModel() {
    byte[] body =
        with(
            "{\"model\":\"expensive\",\"messages\":[],\"mod%l\":\"cheap\"}",
            new byte[] {(byte) 0xC1, (byte) 0xA5});
    assertThat(fault(Cases.weigh(DialectTable.OPENAI, CHAT, body))).contains("not valid UTF-8");
  }

  @ParameterizedTest
  @ValueSource(strings = {"é", "ÿ", "߿", "ࠀ", "퟿", "\uE000", "\uFFFF", "😀", "\uDBFF\uDFFF"})
  void everyCharacter_isRead_whereverItIsCut(String text) {
    byte[] body = Cases.bytes("{\"model\":\"m\",\"" + text + "\":\"1234567" + text + "\"}");
    for (int at = 0; at <= body.length; at++) {
      RequestReader reader = reader();
      Cases.cut(body, at, reader::feed);
      assertThat(fault(reader.finish())).as("cut at %d", at).isEqualTo("none");
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void randomBytesInAText_areTakenIfJavaTakesThem() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] text = new byte[random.nextInt(24)];
      for (int i = 0; i < text.length; i++) {
        // mostly starts and continuations, and nothing that ends a string
        text[i] =
            (byte) (random.nextInt(4) == 0 ? 'a' + random.nextInt(26) : 0x80 + random.nextInt(128));
      }
      RequestReader reader = reader();
      byte[] body = with("{\"model\":\"m\",\"x\":\"%\"}", text);
      int at = random.nextInt(body.length + 1);
      Cases.cut(body, at, reader::feed);
      assertThat(fault(reader.finish()).equals("none"))
          .as("seed %d, round %d, %s", seed, round, Arrays.toString(text))
          .isEqualTo(valid(text));
    }
  }

  private static boolean valid(byte[] text) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
      return true;
    } catch (CharacterCodingException broken) {
      return false;
    }
  }

  private static RequestReader reader() {
    return DialectTable.OPENAI.requestReader(Cases.reading(DialectTable.OPENAI), CHAT);
  }

  /** Returns a text with {@code bytes} in place of its percent sign. */
  private static byte[] with(String text, byte[] bytes) {
    int at = text.indexOf('%');
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(Cases.bytes(text.substring(0, at)));
    body.writeBytes(bytes);
    body.writeBytes(Cases.bytes(text.substring(at + 1)));
    return body.toByteArray();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void listsOfModels_nameFurtherModels() {
    assertThat(furtherModels("\"models\":[\"a\",\"b\"],\"route\":\"fallback\""))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(furtherModels("\"route\":[\"a\",{\"model\":\"b\"}]"))
        .containsExactlyInAnyOrder("a", "b");
    assertThat(furtherModels("\"models\":\"a\"")).containsExactly("a");
    assertThat(furtherModels("\"models\":[],\"route\":null")).isEmpty();
    assertThat(furtherModels("\"metadata\":{\"models\":[\"a\"]}")).isEmpty();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void listOfModels_isBounded() {
    String name = "m".repeat(StatedModel.MAX_LENGTH);
    assertThat(furtherModels("\"models\":[\"" + name + "\"]")).containsExactly(name);
    assertThat(fault(DialectTable.OPENAI, CHAT, ASK + ",\"models\":[\"" + name + "m\"]"))
        .startsWith("models names a model that is longer than 256 characters");
    String most = "\"a\",".repeat(FurtherModels.MOST - 1) + "\"a\"";
    assertThat(furtherModels("\"models\":[" + most + "]")).containsExactly("a");
    assertThat(fault(DialectTable.OPENAI, CHAT, ASK + ",\"models\":[" + most + ",\"a\"]"))
        .startsWith("models and route name more than 32 models");
  }
}
