package io.penstock.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CountedPiecesTest {
  private static final String CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";

  /** The expression as published by OpenAI. */
  private static final Pattern PIECE =
      Pattern.compile(
          "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*"
              + "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
              + CONTRACTIONS
              + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"
              + "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
              + CONTRACTIONS
              + "|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
          Pattern.UNICODE_CHARACTER_CLASS);

  /** Characters of each class that the expression distinguishes, and some more. */
  private static final String ALPHABET =
      "aZé\u01c5\u02b0漢\u0301\u20dd\u0903stremvldSTREMVLD\u017f\u212a''09²Ⅷ  \n\r\t\u000b\u0085"
          + "\u00a0\u2028\u3000\u200b\u001c//.-!\ud83d\ude00\ud801\udc00\ud801\udc28\ud800\udfff";

  private static final Encoding O200K =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  private static List<String> expected(String text) {
    List<String> pieces = new ArrayList<>();
    Matcher matcher = PIECE.matcher(text);
    while (matcher.find()) {
      pieces.add(matcher.group());
    }
    return pieces;
  }

  private static List<String> cut(String text) {
    O200kPieces pieces = new O200kPieces(text);
    List<String> all = new ArrayList<>();
    for (int from = 0; from < text.length(); ) {
      int end = pieces.end(from);
      assertThat(end).as("end of the piece at %d of %s", from, text).isGreaterThan(from);
      all.add(text.substring(from, end));
      from = end;
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "The penstock HOLDS the water; it's theirs, they'll say: DON'T, I'D've.",
        "HELLOworld HelloWorld hELLO iOS9 x1234567",
        "a  b   \n\n  c\r\n\td \n",
        "if (x != null) { // what?\n  return x/2;///\n}\n",
        "straße ŒUVRE \u01c5ungla Żółć 漢字かな交じり文 한국어 हिन्दी",
        "\u0301A \u0301a\u0301A A\u0301B 漢A漢 A漢B's",
        "it\u2019s 'ſ 'S",
        "👩‍👩‍👧‍👦 €12,345.67 ½²Ⅷ"
      })
  void text_isCutWhereTheExpressionCutsIt(String text) {
    assertThat(cut(text)).isEqualTo(expected(text));
    assertThat(new CountedPieces(O200K).count(text)).isEqualTo(O200K.countTokensOrdinary(text));
  }

  @Test
  void everyCharacter_isOfTheKindItIsForTheExpression() {
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      String text = "A" + Character.toString(point) + "b";
      if (!cut(text).equals(expected(text))) {
        assertThat(cut(text)).as("U+%04X", point).isEqualTo(expected(text));
      }
    }
  }

  @Test
  void anyText_isCutAndCountedAsTheLibraryDoes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    CountedPieces pieces = new CountedPieces(O200K);
    for (int run = 0; run < 20_000; run++) {
      StringBuilder made = new StringBuilder();
      int length = random.nextInt(24);
      for (int i = 0; i < length; i++) {
        made.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
      String text = made.toString();
      if (!cut(text).equals(expected(text))
          || pieces.count(text) != O200K.countTokensOrdinary(text)) {
        assertThat(cut(text)).as("seed %d, run %d", seed, run).isEqualTo(expected(text));
        assertThat(pieces.count(text))
            .as("seed %d, run %d: %s", seed, run, text)
            .isEqualTo(O200K.countTokensOrdinary(text));
      }
    }
  }

  @Test
  void piecesThatShareAPlace_areNotMistakenForEachOther() {
    CountedPieces pieces = new CountedPieces(O200K);
    for (int i = 0; i < 200_000; i++) {
      String word = Integer.toString(i, 36);
      if (i % 5 == 0) {
        pieces.count(word);
      }
    }
    for (int i = 0; i < 200_000; i += 17) {
      String word = Integer.toString(i, 36);
      assertThat(pieces.count(word)).isEqualTo(O200K.countTokensOrdinary(word));
    }
  }
}
