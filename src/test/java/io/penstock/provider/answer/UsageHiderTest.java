package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.provider.Cases;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageHiderTest {
  private static final String TEXT =
      "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"usage\\\":{é}\"}}],\"usage\":null}\n\n";
  private static final String USAGE =
      "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":7}}\n\n";
  private static final String DONE = "data: [DONE]\n\n";

  private static String pass(String stream, int... cuts) {
    UsageHider hider = new UsageHider();
    byte[] bytes = Cases.bytes(stream);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int from = 0;
    for (int i = 0; i <= cuts.length; i++) {
      int to = i == cuts.length ? bytes.length : cuts[i];
      ByteBuffer piece = ByteBuffer.wrap(bytes, from, to - from);
      write(hider.pass(piece), out);
      assertThat(piece.remaining()).isZero();
      from = to;
    }
    write(hider.end(), out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static void write(List<ByteBuffer> pieces, ByteArrayOutputStream out) {
    for (ByteBuffer piece : pieces) {
      byte[] bytes = new byte[piece.remaining()];
      piece.get(bytes);
      out.writeBytes(bytes);
    }
  }

  private static void assertPassed(String stream, String expected) {
    byte[] bytes = Cases.bytes(stream);
    assertThat(pass(stream)).isEqualTo(expected);
    for (int at = 0; at <= bytes.length; at++) {
      assertThat(pass(stream, at)).as("cut at %d", at).isEqualTo(expected);
    }
    int[] everywhere = new int[bytes.length];
    for (int i = 0; i < everywhere.length; i++) {
      everywhere[i] = i;
    }
    assertThat(pass(stream, everywhere)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void usageEvent_isTakenOut_andNothingElse(String lineEnd) {
    for (String mark : new String[] {"", "\uFEFF"}) {
      String before = (mark + ": ping\n\n" + TEXT + "\n\n" + TEXT).replace("\n", lineEnd);
      String after = (": beside\n" + DONE + "event: x\ndata: y\n\ngarbage").replace("\n", lineEnd);
      assertPassed(before + USAGE.replace("\n", lineEnd) + after, before + after);
      assertPassed(USAGE.replace("\n", lineEnd), "");
    }
  }

  @Test
  void usageEvent_overSeveralLines_orWithoutItsEnd_isTakenOut_commentsInItStay() {
    assertPassed(
        TEXT + "event: e\ndata: {\"choices\":[ ],\n: stays\ndata:\"usage\" : {}}\nid: 1\n\n" + DONE,
        TEXT + ": stays\n" + DONE);
    assertPassed(TEXT + USAGE.strip(), TEXT);
    assertPassed(TEXT + USAGE.strip() + "\n", TEXT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"choices\":[],\"usage\":null}\n\n",
        "data: {\"choices\":[]}\n\n",
        "data: {\"usage\":{}}\n\n",
        "data: {\"choices\":[{}],\"usage\":{}}\n\n",
        "data: {\"choices\":[1],\"usage\":{}}\n\n",
        "data: {\"choices\":{},\"usage\":{}}\n\n",
        "data: {\"choices\":null,\"usage\":{}}\n\n",
        "data: {\"choices\":[],\"usage\":[]}\n\n",
        "data: {\"choices\":[],\"usage\":7}\n\n",
        "data: {\"choices\":[],\"usage\":{}\n\n",
        "data: {\"choices\":[],\"usage\":{}} x\n\n",
        "data: {\"x\":{\"choices\":[],\"usage\":{}}}\n\n",
        "dat: {\"choices\":[],\"usage\":{}}\n\n",
        ": {\"choices\":[],\"usage\":{}}\n\n",
        "{\"choices\":[],\"usage\":{}}",
        "\n\n\r\r\r\n",
        "",
      })
  void anyOtherEvent_passes(String event) {
    assertPassed(TEXT + event + DONE, TEXT + event + DONE);
    assertPassed(event, event);
  }

  @Test
  void completeEvent_isNotHeldBack_norIsAComment() {
    UsageHider hider = new UsageHider();
    for (String piece : new String[] {TEXT, ": ping", "\n", "\n", DONE, TEXT + TEXT}) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      write(hider.pass(ByteBuffer.wrap(Cases.bytes(piece))), out);
      assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(piece);
      assertThat(hider.holds()).isFalse();
    }
  }

  @Test
  void eventAtTheBound_isTakenOut_oneByteMorePasses_andIsNotHeld() {
    String frame = "data: {\"choices\":[],\"pad\":\"\",\"usage\":{}}\n\n";
    String pad = "x".repeat(UsageHider.MAX_EVENT_BYTES - frame.length());
    String fits = frame.replace("\"\"", "\"" + pad + "\"");
    String larger = frame.replace("\"\"", "\"" + pad + "x\"");
    for (int cut : new int[] {1, 50, 1 << 12, fits.length() - 1}) {
      assertThat(pass(TEXT + fits + DONE, TEXT.length() + cut)).isEqualTo(TEXT + DONE);
      assertThat(pass(TEXT + larger + USAGE + DONE, TEXT.length() + cut))
          .isEqualTo(TEXT + larger + DONE);
    }
    UsageHider hider = new UsageHider();
    byte[] endless = Cases.bytes("data: " + "x".repeat(1 << 16));
    long passed = 0;
    for (int i = 0; i < 64; i++) {
      for (ByteBuffer piece : hider.pass(ByteBuffer.wrap(endless))) {
        passed += piece.remaining();
      }
    }
    assertThat(passed).isEqualTo(64L * endless.length);
    assertThat(hider.holds()).isFalse();
  }

  @Test
  void randomStreams_cutAnywhere_loseOnlyUsageEvents() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    String[] events = {TEXT, USAGE, DONE, ": c\n", "\n", "retry: 1\n\n", "data: {}\n\n", "\r\n"};
    for (int round = 0; round < 2_000; round++) {
      StringBuilder stream = new StringBuilder();
      StringBuilder expected = new StringBuilder();
      for (int i = random.nextInt(12); i >= 0; i--) {
        String event = events[random.nextInt(events.length)];
        stream.append(event);
        expected.append(event.equals(USAGE) ? "" : event);
      }
      int length = Cases.bytes(stream.toString()).length;
      int[] cuts = random.ints(random.nextInt(6), 0, length + 1).sorted().toArray();
      assertThat(pass(stream.toString(), cuts))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(expected.toString());
    }
  }
}
