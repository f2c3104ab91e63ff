package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySecretsTest {
  @Test
  void secret_isPrefixRandomDigitsAndChecksum() {
    // The checksum: CRC-32 of "psk_" and 43 zeros, in base 62.
    assertThat(KeySecrets.of(new byte[32])).isEqualTo("psk_" + "0".repeat(43) + checksumOfZeros());
    assertThat(KeySecrets.make()).hasSize(53).matches("psk_[0-9A-Za-z]{49}");
  }

  private static String checksumOfZeros() {
    CRC32 crc = new CRC32();
    ("psk_" + "0".repeat(43)).chars().forEach(crc::update);
    String digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    StringBuilder text = new StringBuilder();
    for (long rest = crc.getValue(); text.length() < 6; rest /= 62) {
      text.insert(0, digits.charAt((int) (rest % 62)));
    }
    return text.toString();
  }

  @Test
  void secret_holdsAll256Bits() {
    byte[] most = new byte[32];
    Arrays.fill(most, (byte) 0xff);
    byte[] oneLess = most.clone();
    oneLess[31] = (byte) 0xfe;
    assertThat(KeySecrets.of(most)).hasSize(53).isNotEqualTo(KeySecrets.of(oneLess));
    assertThat(KeySecrets.looksLikeKey(KeySecrets.of(most))).isTrue();
  }

  @Test
  void secrets_areNeverTheSame() {
    Set<String> made = new HashSet<>();
    for (int at = 0; at < 1_000; at++) {
      assertThat(made.add(KeySecrets.make())).isTrue();
    }
    assertThat(made).allMatch(KeySecrets::looksLikeKey);
  }

  @Test
  void secretWithOneCharacterChanged_isNone() {
    String secret = KeySecrets.of(new byte[32]);
    for (int at = 0; at < secret.length(); at++) {
      char other = secret.charAt(at) == '1' ? '2' : '1';
      assertThat(
              KeySecrets.looksLikeKey(secret.substring(0, at) + other + secret.substring(at + 1)))
          .as("character %d", at)
          .isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "psk_", "sk-proj-abc", "psk_é", "a\nb"})
  void otherTexts_areNone(String text) {
    assertThat(KeySecrets.looksLikeKey(text)).isFalse();
    assertThat(KeySecrets.looksLikeKey(KeySecrets.make() + text)).isEqualTo(text.isEmpty());
    assertThat(KeySecrets.looksLikeKey(text + KeySecrets.make())).isEqualTo(text.isEmpty());
  }

  @Test
  void sha256_isThatOfTheTextInUtf8() {
    assertThat(KeySecrets.sha256("abc"))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(KeySecrets.sha256("ü"))
        .isEqualTo("607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f");
  }
}
