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
  /** The key of the vectors in the reference implementation: the bytes 00 to 0f. */
  private static final HashKey KEY = new HashKey(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

  private static ContentHash hash(byte[] bytes) {
    return hash(KEY, bytes);
  }

  private static ContentHash hash(HashKey key, byte[] bytes) {
    ContentHash hash = new ContentHash(key);
    hash.add(bytes);
    return hash;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 726fdb47dd0e0e31",
    "1, 74f839c593dc67fd",
    "2, 0d6c8009d9a94f5a",
    "3, 85676696d7fb7e2d",
    "7, ab0200f58b01d137",
    "8, 93f5f5799a932462",
    "15, a129ca6149be45e5",
    "63, 958a324ceb064572",
  })
  void value_ofTheFirstBytes_isThatOfTheReferenceImplementation(int bytes, String expected) {
    byte[] input = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      input[i] = (byte) i;
    }
    assertThat(Long.toHexString(hash(input).value())).isEqualTo(expected.replaceFirst("^0", ""));
  }

  @Test
  void value_cutAnywhere_staysTheSame() {
    Random random = new Random(33);
    for (int round = 0; round < 500; round++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3).put(3, bytes);
      direct.order(round % 2 == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
      ContentHash pieces = new ContentHash(KEY);
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
  void value_inTheMiddle_changesNothing() {
    ContentHash pieces = new ContentHash(KEY);
    for (String piece : new String[] {"a", "bcdefgh", "", "ijk"}) {
      pieces.add(piece.getBytes(US_ASCII));
      assertThat(pieces.value()).isEqualTo(pieces.value());
    }
    assertThat(pieces.value()).isEqualTo(hash("abcdefghijk".getBytes(US_ASCII)).value());
  }

  @Test
  void copy_continuedLikeItsOriginal_isEqual() {
    ContentHash original = hash(new byte[45]);
    ContentHash copy = new ContentHash(KEY);
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
    assertThat(hash.value()).isEqualTo(new ContentHash(KEY).value());
  }

  @Test
  void ofTwo_inOtherOrder_differs_andIsThatOfTheirBytes() {
    ContentHash hash = hash(new byte[45]);
    assertThat(hash.of(1, 2)).isNotEqualTo(hash.of(2, 1));
    byte[] both =
        ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(1).putLong(2).array();
    assertThat(hash.of(1, 2)).isEqualTo(hash(both).value());
  }

  @Test
  void anotherKey_ofASecretOrATenant_makesAnotherHash() {
    byte[] bytes = "the same".getBytes(US_ASCII);
    HashKey secret = HashKey.of("a secret");
    assertThat(hash(secret, bytes).value()).isEqualTo(hash(HashKey.of("a secret"), bytes).value());
    assertThat(
            new long[] {
              hash(secret, bytes).value(),
              hash(HashKey.of("another"), bytes).value(),
              hash(HashKey.random(), bytes).value(),
              hash(secret.ofTenant("alice"), bytes).value(),
              hash(secret.ofTenant("bob"), bytes).value(),
            })
        .doesNotHaveDuplicates();
    assertThat(secret.ofTenant("alice")).isEqualTo(HashKey.of("a secret").ofTenant("alice"));
  }

  @Test
  void keyOfASecret_isTheSameInEveryVersion_andShowsNothing() {
    HashKey key = HashKey.of("a secret");
    assertThat(Long.toHexString(key.first())).isEqualTo("984ca5162200734c"); // its SHA-256
    assertThat(key).hasToString("***");
  }
}
