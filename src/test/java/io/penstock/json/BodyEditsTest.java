package io.penstock.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.StatedMaximum;
import io.penstock.provider.request.WeighedRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Tests where a body can be changed, and that the result is the intended one. */
class BodyEditsTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String CHAT = "/v1/chat/completions";

  private static WeighedRequest.Request read(Dialect dialect, String path, List<ByteBuffer> body) {
    RequestReader reader = ProviderProtocol.of(dialect).requestReader(Cases.reading(dialect), path);
    body.forEach(piece -> reader.feed(piece.duplicate()));
    if (reader.finish() instanceof WeighedRequest.Request request) {
      return request;
    }
    throw new AssertionError("expected a request");
  }

  private static List<ByteBuffer> whole(byte[] body) {
    return List.of(ByteBuffer.wrap(body));
  }

  private static byte[] joined(List<ByteBuffer> pieces) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (ByteBuffer piece : pieces) {
      byte[] bytes = new byte[piece.remaining()];
      piece.duplicate().get(bytes);
      joined.writeBytes(bytes);
    }
    return joined.toByteArray();
  }

  private static List<BodyEdit> edits(WeighedRequest.Spots spots, @Nullable String model) {
    List<BodyEdit> edits = new ArrayList<>();
    if (spots.asksUsage() != null) {
      edits.add(spots.asksUsage());
    }
    if (model != null) {
      edits.add(new BodyEdit(spots.modelAt(), spots.modelLength(), JSON.writeValueAsString(model)));
    }
    edits.sort((a, b) -> Long.compare(a.at(), b.at()));
    return edits;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"model\":\"gpt\"}",
        "\uFEFF \r"
            + "{ \"é😀\" : \"ü\\\"model\\\":\" ,\t\"model\" \r"
            + ":  \"g\\u0070t-é😀\\\\\" , \"x\":1}",
        "{\"x\":{\"model\":\"inner\"},\"mod\\u0065l\":\"last\"  }",
        "{\"messages\":[{\"model\":\"no\"}],\"model\":\"\\\"quoted\\\"\"}",
      })
  void modelSpot_isThatOfTheString_whereverCut(String text) {
    byte[] body = Cases.bytes(text);
    for (Dialect dialect : new Dialect[] {DialectTable.OPENAI, DialectTable.ANTHROPIC}) {
      String path = dialect.equals(DialectTable.OPENAI) ? CHAT : "/v1/messages";
      WeighedRequest.Request request = read(dialect, path, whole(body));
      WeighedRequest.Spots spots = request.spots();
      String found =
          new String(body, (int) spots.modelAt(), spots.modelLength(), StandardCharsets.UTF_8);
      assertThat(JSON.readValue(found, String.class)).isEqualTo(request.model());
      for (int at = 0; at <= body.length; at++) {
        List<ByteBuffer> cut = cut(body, at);
        assertThat(read(dialect, path, cut).spots()).as("cut at %d", at).isEqualTo(spots);
        List<ByteBuffer> edited = BodyEdits.apply(cut, edits(spots, "other \"é\""));
        byte[] renamed = joined(edited);
        assertThat(renamed.length)
            .isEqualTo(body.length + BodyEdits.grown(edits(spots, "other \"é\"")));
        assertThat(read(dialect, path, edited).model()).isEqualTo("other \"é\"");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"model\":\"é\",\"max_tokens\":12}",
        "{\"max_tokens\" : 0 , \"model\":\"m\"}",
        "\uFEFF{\"n\":3,\"max_completion_tokens\":\n200000\r,\"max_tokens\":7,\"model\":\"m\"}",
      })
  void maximumSpots_areThoseOfTheNumbers_whereverCut(String text) {
    byte[] body = Cases.bytes(text);
    for (int at = 0; at <= body.length; at++) {
      List<StatedMaximum> maxima = read(DialectTable.OPENAI, CHAT, cut(body, at)).spots().maxima();
      assertThat(maxima).hasSize(text.split("tokens").length - 1);
      for (StatedMaximum each : maxima) {
        String number = new String(body, (int) each.at(), each.length(), StandardCharsets.UTF_8);
        assertThat(number).as("cut at %d", at).isEqualTo(Long.toString(each.tokens()));
      }
    }
  }

  private static List<ByteBuffer> cut(byte[] body, int at) {
    ByteBuffer direct = ByteBuffer.allocateDirect(body.length + 3).position(3);
    direct.put(body).flip().position(3);
    return List.of(direct.duplicate().limit(3 + at), direct.duplicate().position(3 + at));
  }

  @Test
  void modelSpot_ofABodyThatNamesNone_isNowhere() {
    byte[] body = Cases.bytes("{\"prompt\":{\"id\":\"p\"},\"input\":\"a\"}");
    WeighedRequest.Spots spots = read(DialectTable.OPENAI, "/v1/responses", whole(body)).spots();
    assertThat(spots.withoutPlaces()).isEqualTo(WeighedRequest.Spots.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"stream\":true|{\"include_usage\":true}",
        "\"stream_options\":{},\"stream\":true|{\"include_usage\":true}",
        "\"stream_options\" : { } , \"stream\":true|{\"include_usage\":true}",
        "\"stream_options\":null,\"stream\":true|{\"include_usage\":true}",
        "\"stream\":true,\"stream_options\": null |{\"include_usage\":true}",
        "\"stream_options\":{\"x\":[1,{\"include_usage\":true}]},\"stream\":true"
            + "|{\"include_usage\":true,\"x\":[1,{\"include_usage\":true}]}",
        "\"stream_options\":{\"include_usage\":false},\"stream\":true|{\"include_usage\":true}",
        "\"stream_options\":{\"include_usage\" : null, \"x\":1},\"stream\":true"
            + "|{\"include_usage\":true,\"x\":1}",
        "\"stream_options\":{\"x\":1,\"include_usage\":true,\"include_usage\":false},\"stream\":true"
            + "|{\"include_usage\":true,\"x\":1}",
        "\"stream_options\":{\"include_usage\":true},\"stream_options\":{},\"stream\":true"
            + "|{\"include_usage\":true}",
        "\"stream_options\":7,\"stream_options\":null,\"stream\":true|{\"include_usage\":true}",
      })
  void streamThatDoesNotAsk_isMadeToAsk_whereverCut(String members, String options) {
    for (String call : new String[] {CHAT, "/v1/completions"}) {
      byte[] body = Cases.bytes("\uFEFF\n{" + members + ",\"é\":\"ü\",\"model\":\"m\"}");
      for (int at = 0; at <= body.length; at++) {
        List<ByteBuffer> cut = cut(body, at);
        WeighedRequest.Request request = read(DialectTable.OPENAI, call, cut);
        List<BodyEdit> edits = edits(request.spots(), "n");
        assertThat(edits).as("cut at %d", at).hasSize(2);
        byte[] edited = joined(BodyEdits.apply(cut, edits));
        JsonNode tree = JSON.readTree(edited);
        assertThat(tree.path("stream_options")).isEqualTo(JSON.readTree(options));
        assertThat(tree.path("model").stringValue()).isEqualTo("n");
        assertThat(read(DialectTable.OPENAI, call, whole(edited)).spots().asksUsage()).isNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"stream\":false",
        "\"stream\":null",
        "\"n\":1",
        "\"stream\":true,\"stream_options\":{\"include_usage\":true}",
        "\"stream\":true,\"stream_options\":{\"include_usage\":false,\"include_usage\":true}",
        "\"stream\":true,\"stream_options\":{\"include_usage\":\"yes\"}",
        "\"stream\":true,\"stream_options\":{\"include_usage\":{}}",
        "\"stream\":true,\"stream_options\":[]",
        "\"stream\":true,\"stream_options\":7",
      })
  void whatAsksOrIsNoStream_orIsWrong_isLeftAlone(String members) {
    byte[] body = Cases.bytes("{\"model\":\"m\"," + members + "}");
    for (String call : new String[] {CHAT, "/v1/completions"}) {
      assertThat(read(DialectTable.OPENAI, call, whole(body)).spots().asksUsage()).isNull();
    }
  }

  @Test
  void streamsThatAlwaysTellTheirUsage_areLeftAlone() {
    byte[] body = Cases.bytes("{\"model\":\"m\",\"stream\":true}");
    assertThat(read(DialectTable.OPENAI, "/v1/responses", whole(body)).spots().asksUsage())
        .isNull();
    assertThat(read(DialectTable.ANTHROPIC, "/v1/messages", whole(body)).spots().asksUsage())
        .isNull();
  }

  @Test
  void randomBodies_changedAnywhere_parseToWhatIsMeant() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 3_000; round++) {
      ObjectNode tree = randomTree(random);
      byte[] body = Cases.bytes(" ".repeat(random.nextInt(3)) + text(tree, random));
      List<ByteBuffer> pieces = new ArrayList<>();
      for (int at = 0; at < body.length; ) {
        int length = Math.min(body.length - at, random.nextInt(9));
        pieces.add(ByteBuffer.wrap(body, at, length).slice());
        at += length;
      }
      WeighedRequest.Spots spots = read(DialectTable.OPENAI, CHAT, pieces).spots();
      List<BodyEdit> edits = edits(spots, "renamed");
      byte[] edited = joined(BodyEdits.apply(pieces, edits));
      assertThat(edited.length - body.length).isEqualTo((int) BodyEdits.grown(edits));
      tree.put("model", "renamed");
      tree.withObject("stream_options").put("include_usage", true);
      assertThat(JSON.readTree(edited)).as("seed %d, round %d", seed, round).isEqualTo(tree);
    }
  }

  private static ObjectNode randomTree(Random random) {
    ObjectNode tree = JSON.createObjectNode();
    List<String> names =
        new ArrayList<>(List.of("model", "stream", "stream_options", "é\n", "messages", "x😀"));
    java.util.Collections.shuffle(names, random);
    for (String name : names) {
      switch (name) {
        case "model" -> tree.put(name, "m" + "ü\"\\😀".repeat(random.nextInt(4)));
        case "stream" -> tree.put(name, true);
        case "stream_options" -> options(tree, random);
        default -> tree.put(name, "€\"{[,:".repeat(random.nextInt(3)));
      }
    }
    return tree;
  }

  private static void options(ObjectNode tree, Random random) {
    switch (random.nextInt(5)) {
      case 0 -> {}
      case 1 -> tree.putObject("stream_options");
      case 2 -> tree.putObject("stream_options").put("include_usage", false);
      case 3 -> tree.putObject("stream_options").putNull("include_usage").put("é", 1.5);
      default -> tree.putObject("stream_options").put("é", "x").putArray("y").add(true);
    }
  }

  private static String text(ObjectNode tree, Random random) {
    return random.nextBoolean()
        ? tree.toString()
        : JSON.writerWithDefaultPrettyPrinter().writeValueAsString(tree);
  }

  @Test
  void edits_everywhereInABody_areMade() {
    List<ByteBuffer> body =
        List.of(
            ByteBuffer.wrap(Cases.bytes("0123")),
            ByteBuffer.allocate(0),
            ByteBuffer.wrap(Cases.bytes("x456y"), 1, 3));
    List<BodyEdit> edits =
        List.of(
            new BodyEdit(0, 0, "a"),
            new BodyEdit(1, 1, ""),
            new BodyEdit(3, 2, "bé"),
            new BodyEdit(7, 0, "z"));
    assertThat(new String(joined(BodyEdits.apply(body, edits)), StandardCharsets.UTF_8))
        .isEqualTo("a02bé56z");
    assertThat(BodyEdits.grown(edits)).isEqualTo(1 - 1 + 1 + 1);
    assertThat(joined(BodyEdits.apply(body, List.of()))).isEqualTo(Cases.bytes("0123456"));
    assertThat(joined(body)).as("the body stays as it is").isEqualTo(Cases.bytes("0123456"));
  }

  @Test
  void edits_outOfOrderOrOutside_areRefused() {
    List<ByteBuffer> body = whole(Cases.bytes("0123"));
    assertThatThrownBy(() -> BodyEdits.apply(body, List.of(new BodyEdit(3, 2, ""))))
        .hasMessageContaining("expected at most 4");
    assertThatThrownBy(
            () -> BodyEdits.apply(body, List.of(new BodyEdit(2, 1, ""), new BodyEdit(1, 0, ""))))
        .hasMessageContaining("expected none before 3");
  }
}
