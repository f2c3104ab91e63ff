package io.penstock.prefix;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentHashTest {
  private static ContentHash hash(byte[] bytes) {
    ContentHash hash = new ContentHash();
    hash.add(bytes);
    return hash;
  }

  @ParameterizedTest
  @CsvSource({
    "'', ef46db3751d8e999",
    "a, d24ec4f1a98c6e5b",
    "abc, 44bc2cf5ad770999",
    "Nobody inspects the spammish repetition, fbcea83c8a378bf1"
  })
  void value_knownText_isThatOfXxh64(String text, String expected) {
    assertThat(Long.toHexString(hash(text.getBytes(US_ASCII)).value())).isEqualTo(expected);
  }

  @Test
  void value_cutAnywhere_staysTheSame() {
    Random random = new Random(33);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3).put(3, bytes);
      direct.order(round % 2 == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
      ContentHash pieces = new ContentHash();
      for (int at = 0; at < bytes.length; ) {
        int to = at + 1 + random.nextInt(bytes.length - at);
        pieces.add(direct, at + 3, to + 3);
        at = to;
      }
      assertThat(pieces.value()).as("round %d", round).isEqualTo(hash(bytes).value());
      assertThat(pieces.length()).isEqualTo(bytes.length);
    }
  }

  @Test
  void copy_continuedLikeItsOriginal_isEqual() {
    ContentHash original = hash(new byte[45]);
    ContentHash copy = new ContentHash();
    copy.copy(original);
    original.add(new byte[] {1, 2, 3});
    assertThat(copy.value()).isEqualTo(hash(new byte[45]).value());
    copy.add(new byte[] {1, 2, 3});
    assertThat(copy.value()).isEqualTo(original.value());
  }

  @Test
  void restart_forgetsAll() {
    ContentHash hash = hash(new byte[45]);
    hash.restart();
    assertThat(hash.value()).isEqualTo(new ContentHash().value());
  }

  @Test
  void ofTwo_inOtherOrder_differs() {
    assertThat(ContentHash.of(1, 2)).isNotEqualTo(ContentHash.of(2, 1));
  }
}
