package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how many tokens images, documents and recordings count for, by their size. */
class AttachmentsTest {
  private static final String DATA = "SIZE";
  private static final long A_MESSAGE = 4;

  /** Returns the input of a request with one part in one message, beside the message itself. */
  private static long tokens(Dialect dialect, String path, String body, long base64Chars) {
    String whole = body.replace(DATA, "x".repeat((int) base64Chars));
    WeighedRequest weighed = Cases.weigh(dialect, path, Cases.bytes(whole));
    return Cases.cost(weighed).inputTokens() - A_MESSAGE;
  }

  private static long chat(String part, long base64Chars) {
    String body = "{\"model\":\"m\",\"messages\":[{\"content\":[" + part + "]}]}";
    return tokens(DialectTable.OPENAI, "/v1/chat/completions", body, base64Chars);
  }

  private static long response(String part, long base64Chars) {
    String body = "{\"model\":\"m\",\"input\":[{\"content\":[" + part + "]}]}";
    return tokens(DialectTable.OPENAI, "/v1/responses", body, base64Chars);
  }

  private static long message(String part, long base64Chars) {
    String body = "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"content\":[" + part + "]}]}";
    return tokens(DialectTable.ANTHROPIC, "/v1/messages", body, base64Chars);
  }

  private static long content(String part, long base64Chars) {
    String body = "{\"contents\":[{\"parts\":[" + part + "]}]}";
    return tokens(DialectTable.GEMINI, "/v1beta/models/m:generateContent", body, base64Chars);
  }

  /** Returns the length in base64 of so many pages, less a little, so that it is not rounded up. */
  private static long pages(long pages) {
    return AttachmentTokens.BYTES_A_PAGE * pages / 3 * 4 - 100;
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({"1, 1", "3, 3", "80, 80", "100, 100", "101, 100", "300, 100"})
  void document_countsByItsSize_upToTheMostPages(long pages, long counted) {
    long chars = pages(pages);
    assertThat(
            message(
                "{\"type\":\"document\",\"source\":{\"type\":\"base64\","
                    + "\"media_type\":\"application/pdf\",\"data\":\"SIZE\"}}",
                chars))
        .isEqualTo(3_000 * counted);
    String file = "\"file_data\":\"data:application/pdf;base64,SIZE\",\"filename\":";
    assertThat(chat("{\"type\":\"file\",\"file\":{" + file + "\"a.pdf\"}}", chars))
        .isEqualTo(1_765 * counted);
    assertThat(response("{\"type\":\"input_file\"," + file + "\"\"}", chars))
        .isEqualTo(1_765 * counted);
    assertThat(
            content("{\"inlineData\":{\"mimeType\":\"application/pdf\",\"data\":\"SIZE\"}}", chars))
        .isEqualTo(560 * pages);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void documentWithoutAType_orWithOneThatComesTooLate_isNoImage() {
    long chars = pages(20);
    assertThat(message("{\"source\":{\"type\":\"base64\",\"data\":\"SIZE\"}}", chars))
        .isEqualTo(3_000 * 20);
    assertThat(
            message(
                "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"SIZE\","
                    + "\"media_type\":\"application/pdf\"},\"type\":\"document\"}",
                chars))
        .isEqualTo(3_000 * 20);
    assertThat(
            message(
                "{\"type\":\"image\"},{\"source\":{\"type\":\"url\"},\"type\":\"document\"}",
                chars))
        .isEqualTo(3_000 * AttachmentTokens.UNKNOWN_PAGES);
    assertThat(response("{\"type\":\"input_file\",\"file_data\":\"SIZE\"}", chars))
        .isEqualTo(1_765 * 20);
    assertThat(chat("{\"file\":{\"file_data\":\"data:image/png;base64,SIZE\"}}", chars))
        .isEqualTo(1_765 * 20);
    assertThat(content("{\"inline_data\":{\"data\":\"SIZE\"}}", chars)).isEqualTo(560 * 20);
  }

  @Test
  void dataInTwoMembers_isAddedUp() {
    assertThat(chat("{\"file\":{\"file_data\":\"SIZE\",\"data\":\"SIZE\"}}", pages(4)))
        .isEqualTo(1_765 * 8);
  }

  @Test
  void documentOfUnknownSize_countsAsAFewPages() {
    assertThat(message("{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"u\"}}", 0))
        .as("with its address")
        .isEqualTo(15_001);
    assertThat(message("{\"type\":\"document\",\"source\":{\"type\":\"file\"}}", 0))
        .isEqualTo(15_000);
    assertThat(chat("{\"type\":\"file\",\"file\":{\"file_id\":\"f\"}}", 0)).isEqualTo(8_825);
    assertThat(response("{\"type\":\"input_file\",\"file_id\":\"f\"}", 0)).isEqualTo(8_825);
    assertThat(response("{\"type\":\"input_file\",\"file_url\":\"f\"}", 0)).isEqualTo(8_825);
    assertThat(content("{\"file_data\":{\"file_uri\":\"u\"}}", 0)).isEqualTo(2_800);
  }

  @Test
  void image_countsTheSame_whereverItIs_andWhateverItsSize() {
    String cached = "\"cache_control\":{\"type\":\"ephemeral\"},";
    for (long chars : new long[] {1, pages(20)}) {
      assertThat(
              message(
                  "{\"type\":\"image\","
                      + cached
                      + "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
                      + "\"data\":\"SIZE\"}}",
                  chars))
          .isEqualTo(1_600);
      assertThat(message("{\"type\":\"image\"," + cached + "\"source\":{\"type\":\"url\"}}", chars))
          .isEqualTo(1_600);
      assertThat(chat("{\"image_url\":{\"url\":\"data:image/png;base64,SIZE\"}}", chars))
          .isEqualTo(765);
      assertThat(response("{\"type\":\"input_image\",\"image_url\":\"SIZE\"}", chars))
          .isEqualTo(765);
      assertThat(response("{\"type\":\"input_image\",\"file_id\":\"f\"}", chars)).isEqualTo(765);
      assertThat(response("{\"type\":\"file_citation\",\"file_id\":\"f\"}", chars)).isEqualTo(765);
      assertThat(content("{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"SIZE\"}}", chars))
          .isEqualTo(258);
    }
  }

  @Test
  void recording_countsByItsSeconds() {
    long chars = 120 * AttachmentTokens.BYTES_A_SECOND_OF_AUDIO / 3 * 4;
    String sound = "{\"input_audio\":{\"data\":\"SIZE\",\"format\":\"mp3\"}}";
    assertThat(chat(sound, chars)).isEqualTo(10 * 120);
    assertThat(response(sound, chars)).isEqualTo(10 * 120);
    assertThat(content("{\"inlineData\":{\"mimeType\":\"audio/mp3\",\"data\":\"SIZE\"}}", chars))
        .isBetween(32L * 120, 32L * 121);
    long video = 12 * AttachmentTokens.BYTES_A_SECOND_OF_VIDEO / 3 * 4;
    assertThat(content("{\"inlineData\":{\"mimeType\":\"video/mp4\",\"data\":\"SIZE\"}}", video))
        .isBetween(300L * 12, 300L * 13);
    assertThat(content("{\"fileData\":{\"mimeType\":\"video/mp4\",\"fileUri\":\"u\"}}", 0))
        .isEqualTo(300 * 60);
    assertThat(content("{\"fileData\":{\"mimeType\":\"audio/mp3\",\"fileUri\":\"u\"}}", 0))
        .isEqualTo(32 * 60);
  }

  @Test
  void fileOfText_countsAsText() {
    assertThat(content("{\"inlineData\":{\"mimeType\":\"text/csv\",\"data\":\"SIZE\"}}", 160_000))
        .isBetween(30_000L, 30_010L);
    assertThat(
            response(
                "{\"type\":\"input_file\",\"file_data\":\"data:text/plain;base64,SIZE\"}", 160_000))
        .isBetween(30_000L, 30_010L);
    assertThat(chat("{\"file\":{\"file_data\":\"data:application/json;base64,SIZE\"}}", 160_000))
        .isBetween(30_000L, 30_010L);
  }
}
