package io.penstock.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests bodies that clients send compressed. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class CompressedBodyIT extends HostileCase {
  private static final int MOST_BYTES = 1 << 20;
  private static final int MIB = 1 << 20;

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        max_body_bytes: 1048576
        upstreams: [{id: o, url: "%1$s", models: {m: renamed, big: big}}]
      - path: /large
        dialect: openai
        upstreams: [{id: l, url: "%1$s"}]
    """;
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(all)) {
      out.write(bytes);
    }
    return all.toByteArray();
  }

  private static byte[] deflate(byte[] bytes, boolean bare) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (OutputStream out =
        new DeflaterOutputStream(all, new Deflater(Deflater.DEFAULT_COMPRESSION, bare))) {
      out.write(bytes);
    }
    return all.toByteArray();
  }

  private static byte[] request(String path, String encoding, byte[] body) {
    String request =
        "POST "
            + path
            + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: "
            + encoding
            + "\r\nContent-Length: "
            + body.length
            + "\r\n\r\n"
            + new String(body, ISO_8859_1);
    return request.getBytes(ISO_8859_1);
  }

  private HttpMessage sent(String path, String encoding, byte[] body) {
    try (ByteSocket byteSocket = connect()) {
      return byteSocket.send(request(path, encoding, body)).answer();
    }
  }

  private void assertInflated(HttpMessage received, String body) {
    assertThat(received.text()).isEqualTo(body);
    assertThat(received.header("content-encoding")).isNull();
    assertThat(received.header("content-length")).isEqualTo("" + body.getBytes(UTF_8).length);
  }

  @Test
  void gzip_isInflatedWeighedAndForwarded() throws Exception {
    HttpMessage answer = sent(CHAT, "gzip", gzip(ASK.getBytes(UTF_8)));
    assertThat(answer.status()).isEqualTo(200);
    HttpMessage plain = post(CHAT, ASK);
    assertThat(answer.header("x-penstock-cost")).isEqualTo(plain.header("x-penstock-cost"));
    String renamed = ASK.replace("\"m\"", "\"renamed\"");
    assertInflated(upstream.received(), renamed);
    assertInflated(upstream.received(), renamed);
  }

  @Test
  void gzipOfSeveralMembers_isOneBody() throws Exception {
    byte[] ask = ASK.replace("\"m\"", "\"big\"").getBytes(UTF_8);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.write(gzip(Arrays.copyOf(ask, 10)));
    members.write(gzip(new byte[0]));
    members.write(gzip(Arrays.copyOfRange(ask, 10, ask.length)));
    assertThat(sent(CHAT, "X-GZIP", members.toByteArray()).status()).isEqualTo(200);
    assertInflated(upstream.received(), new String(ask, UTF_8));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void deflate_framedOrBare_isInflated(boolean bare) throws Exception {
    String ask = ASK.replace("\"m\"", "\"big\"");
    assertThat(sent(CHAT, "deflate", deflate(ask.getBytes(UTF_8), bare)).status()).isEqualTo(200);
    assertInflated(upstream.received(), ask);
  }

  @Test
  void identity_isNoEncoding() throws Exception {
    String ask = ASK.replace("\"m\"", "\"big\"");
    assertThat(sent(CHAT, "identity", ask.getBytes(UTF_8)).status()).isEqualTo(200);
    assertInflated(upstream.received(), ask);
  }

  @Test
  void largeBodyInChunks_isInflatedAndWaits() throws Exception {
    String ask = ASK.replace(PROMPT, PROMPT + "word ".repeat(MIB));
    byte[] body = gzip(ask.getBytes(UTF_8));
    gateway.endpoint("/large").pause(true);
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "POST /large/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
              + "Transfer-Encoding: chunked\r\n\r\n");
      for (int at = 0; at < body.length; at += 100) {
        byte[] chunk = Arrays.copyOfRange(body, at, Math.min(body.length, at + 100));
        byteSocket.send(Integer.toHexString(chunk.length) + "\r\n").send(chunk).send("\r\n");
      }
      byteSocket.send("0\r\n\r\n");
      gateway.await("/large", TicketFate.WAITING, 1);
      gateway.endpoint("/large").pause(false);
      assertThat(byteSocket.answer().status()).isEqualTo(200);
    }
    assertInflated(upstream.received(), ask);
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "zstd", "gzip, gzip", "gzip\r\nContent-Encoding: gzip"})
  void encodingThatIsNotRead_isNamedAndTheOthersAreOffered(String encoding) {
    HttpMessage answer = sent(CHAT, encoding, new byte[] {1, 2, 3});
    refused(answer, 415, "unsupported_encoding");
    assertThat(answer.header("accept-encoding")).isEqualTo("gzip, deflate");
    assertThat(answer.text())
        .contains("encoding " + encoding.replace("\r\nContent-Encoding: ", ", ") + " cannot");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyOfTheLargestInflatedSize_isTaken_andOneMoreByteIsNot() throws Exception {
    String ask = ASK.replace("\"m\"", "\"big\"");
    String most = ask.replace(PROMPT, PROMPT + "x".repeat(MOST_BYTES - ask.length()));
    assertThat(sent(CHAT, "gzip", gzip(most.getBytes(UTF_8))).status()).isEqualTo(200);
    assertInflated(upstream.received(), most);
    String more = most.replace(PROMPT, PROMPT + "x");
    refused(sent(CHAT, "gzip", gzip(more.getBytes(UTF_8))), 413, "body_too_large");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bomb_isCutOffEarly() throws Exception {
    byte[] bomb = gzip(new byte[512 * MIB]);
    assertThat(bomb.length).isLessThan(MOST_BYTES);
    refused(sent(CHAT, "gzip", bomb), 413, "body_too_large");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyThatIsCutOffOrNoGzip_isABadRequest() throws Exception {
    byte[] whole = gzip(ASK.getBytes(UTF_8));
    for (byte[] bad :
        new byte[][] {
          Arrays.copyOf(whole, whole.length - 1),
          Arrays.copyOf(whole, whole.length + 1),
          Arrays.copyOf(whole, 5),
          ASK.getBytes(UTF_8),
          new byte[0]
        }) {
      HttpMessage answer = sent(CHAT, "gzip", bad);
      refused(answer, 400, "bad_request");
      assertThat(answer.text()).contains("encoding");
    }
    byte[] deflated = deflate(ASK.getBytes(UTF_8), false);
    refused(sent(CHAT, "deflate", Arrays.copyOf(deflated, 9)), 400, "bad_request");
    byte[] longer = Arrays.copyOf(deflated, deflated.length + 1);
    refused(sent(CHAT, "deflate", longer), 400, "bad_request");
  }

  @Test
  void upload_passesAsItIs() throws Exception {
    byte[] body = {1, 2, 3};
    assertThat(sent(FILES, "br", body).status()).isEqualTo(200);
    HttpMessage received = upstream.received();
    assertThat(received.header("content-encoding")).isEqualTo("br");
    assertThat(received.body()).isEqualTo(body);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void clientGoneWithinACompressedBody_leavesNothing() throws Exception {
    long cancelled = gateway.count(CHAT, TicketFate.CANCELLED);
    byte[] body = gzip(ASK.getBytes(UTF_8));
    try (ByteSocket byteSocket = connect()) {
      byte[] whole = request(CHAT, "gzip", body);
      byteSocket.send(Arrays.copyOf(whole, whole.length - 20));
      byteSocket.reset();
    }
    gateway.await(CHAT, TicketFate.CANCELLED, cancelled + 1);
  }
}
