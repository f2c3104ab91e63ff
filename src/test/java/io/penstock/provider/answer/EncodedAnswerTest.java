package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that came compressed although the gateway did not ask for it. */
class EncodedAnswerTest {
  private static final String STREAM =
      """
      data: {"choices":[{"delta":{"content":"twelve bytes"}}]}

      data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}

      """;
  private static final TokenUsage USAGE = new TokenUsage(7, 0, 5);

  private static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  private static byte[] deflate(byte[] plain, boolean bare) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, bare);
    try (OutputStream out = new DeflaterOutputStream(bytes, deflater)) {
      out.write(plain);
    }
    deflater.end();
    return bytes.toByteArray();
  }

  private static AnswerReader reader(@Nullable String encoding) {
    return DialectTable.OPENAI.answerReader("text/event-stream", encoding);
  }

  private static void assertRead(String encoding, byte[] bytes) {
    for (int at = 0; at <= bytes.length; at++) {
      AnswerReader reader = reader(encoding);
      Cases.cut(bytes, at, reader::feed);
      assertThat(reader.usage()).as("%s, cut at %d", encoding, at).isEqualTo(USAGE);
      assertThat(reader.producedTokens()).isEqualTo(5);
      assertThat(reader.warning()).isNull();
      reader.close();
      assertThat(reader.usage()).isEqualTo(USAGE);
    }
    AnswerReader bytewise = reader(encoding);
    for (byte b : bytes) {
      bytewise.feed(ByteBuffer.wrap(new byte[] {b}));
    }
    assertThat(bytewise.usage()).isEqualTo(USAGE);
  }

  @Test
  void answer_inEachCoding_isRead_whereverCut() throws IOException {
    byte[] plain = Cases.bytes(STREAM);
    assertRead("gzip", gzip(plain));
    assertRead(" X-GZip ", gzip(plain));
    assertRead("deflate", deflate(plain, false));
    assertRead("deflate", deflate(plain, true));
    assertRead("identity", plain);
    assertRead("", plain);
  }

  @Test
  void gzip_withEverythingInItsHead_andInSeveralMembers_isRead() throws IOException {
    byte[] member = gzip(Cases.bytes(STREAM.substring(0, 40)));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(member, 0, 3);
    bytes.write(4 | 8 | 16 | 2);
    bytes.write(member, 4, 6);
    bytes.writeBytes(new byte[] {3, 0, 9, 9, 9, 'n', 'a', 0, 'c', 0, 1, 2});
    bytes.write(member, 10, member.length - 10);
    bytes.writeBytes(gzip(Cases.bytes(STREAM.substring(40))));
    assertRead("gzip", bytes.toByteArray());
  }

  @Test
  void compressedAnswer_broken_countsUntilThen_withAWarning() throws IOException {
    byte[] good = gzip(Cases.bytes(STREAM));
    byte[] trailed = Arrays.copyOf(good, good.length + 3);
    AnswerReader reader = reader("gzip");
    reader.feed(ByteBuffer.wrap(trailed));
    assertThat(reader.usage()).isEqualTo(USAGE);
    assertThat(reader.warning()).contains("more after");
    for (int at = 0; at < good.length - 8; at++) {
      byte[] broken = good.clone();
      broken[at] ^= (byte) 0x55;
      AnswerReader any = reader("gzip");
      any.feed(ByteBuffer.wrap(broken));
      any.feed(ByteBuffer.wrap(good));
      assertThat(any.producedTokens()).isNotNegative();
    }
    AnswerReader plain = reader("gzip");
    plain.feed(ByteBuffer.wrap(Cases.bytes(STREAM)));
    assertThat(plain.usage()).isNull();
    assertThat(plain.warning()).contains("cannot be read");
  }

  @Test
  void compressedAnswer_cutShort_countsWhatWasThere() throws IOException {
    byte[] bytes = gzip(Cases.bytes(STREAM.repeat(50)));
    AnswerReader reader = reader("gzip");
    reader.feed(ByteBuffer.wrap(bytes, 0, bytes.length - 9));
    assertThat(reader.producedTokens()).isPositive();
  }

  @Test
  void bomb_isReadOnlyToItsBound() throws IOException {
    byte[] spaces = new byte[(int) InflatedAnswer.MAX_BYTES];
    Arrays.fill(spaces, (byte) ' ');
    byte[] bomb = gzip(spaces);
    AnswerReader fits = reader("gzip");
    fits.feed(ByteBuffer.wrap(bomb));
    assertThat(fits.warning()).isNull();
    AnswerReader reader = reader("gzip");
    reader.feed(ByteBuffer.wrap(bomb));
    reader.feed(ByteBuffer.wrap(bomb));
    assertThat(reader.warning()).contains("larger than 67108864 bytes");
    assertThat(reader.usage()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "zstd", "gzip, br", "compress", "nonsense"})
  void otherCodings_countTheirBytes_withAWarning(String encoding) {
    AnswerReader reader = reader(encoding);
    reader.feed(ByteBuffer.wrap(new byte[39]));
    assertThat(reader.producedTokens()).isEqualTo(10);
    assertThat(reader.usage()).isNull();
    assertThat(reader.warning()).contains("compressed in a way that is not read");
    AnswerReader page = DialectTable.OPENAI.answerReader("text/html", encoding);
    page.feed(ByteBuffer.wrap(new byte[39]));
    assertThat(page.producedTokens()).isZero();
    assertThat(page.warning()).isNull();
  }
}
