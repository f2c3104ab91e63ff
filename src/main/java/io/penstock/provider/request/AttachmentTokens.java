package io.penstock.provider.request;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rules of thumb for the tokens of images, documents and recordings, for each provider that is read
 * differently. An image counts the same whatever its size, because providers scale it down to a
 * bound. All else grows with the size of its data, which tells pages and seconds only roughly.
 *
 * <p>Sources: OpenAI, "Images and vision" (85 + 4 × 170 tokens for a square image of 1,024 pixels
 * in high detail), "File inputs" (text and an image of each page) and "Realtime costs" (10 tokens a
 * second of audio); Anthropic, "Vision" (width × height ÷ 750, for the largest image that is not
 * scaled down) and "PDF support" (up to 3,000 tokens a page); Gemini API, "Understand and count
 * tokens" (258 tokens an image, 32 a second of audio, about 300 a second of video) and "Media
 * resolution" (560 tokens a page of a PDF).
 */
enum AttachmentTokens {
  OPENAI(765, 1_765, 10, 300, 100),
  ANTHROPIC(1_600, 3_000, 32, 300, 100),
  GEMINI(258, 560, 32, 300, 1_000);

  /** Size of an attachment that is given by its address or its id. */
  static final long UNKNOWN_CHARS = -1;

  /** Bytes of a page: text with some pictures. A scan has more, a page of plain text less. */
  static final long BYTES_A_PAGE = 50_000;

  /** Pages of a document of unknown size. */
  static final long UNKNOWN_PAGES = 5;

  /** Bytes of a second of audio: 64 kbit/s. */
  static final long BYTES_A_SECOND_OF_AUDIO = 8_000;

  /** Bytes of a second of video: 1 Mbit/s. */
  static final long BYTES_A_SECOND_OF_VIDEO = 125_000;

  /** Seconds of a recording of unknown size. */
  static final long UNKNOWN_SECONDS = 60;

  /** The kind of an attachment, as far as it matters to its tokens. */
  enum Kind {
    IMAGE,
    AUDIO,
    VIDEO,
    /** A file that is read as the text that it is. */
    TEXT,
    /** A PDF, or another file that has pages; also one of which no kind is stated. */
    DOCUMENT;

    private static final String DATA_URL = "data:";

    /** Beginnings of media types of files that have pages, or may have. */
    private static final List<String> PAGED =
        List.of(
            "application/pdf",
            "application/vnd.",
            "application/msword",
            "application/octet-stream");

    /** Returns the kind of data with a media type; null when that is not stated. */
    static Kind of(@Nullable String mediaType) {
      String type = mediaType == null ? "" : mediaType.strip().toLowerCase(Locale.ROOT);
      if (type.startsWith("image/")) {
        return IMAGE;
      }
      if (type.startsWith("audio/")) {
        return AUDIO;
      }
      if (type.startsWith("video/")) {
        return VIDEO;
      }
      return type.isEmpty() || PAGED.stream().anyMatch(type::startsWith) ? DOCUMENT : TEXT;
    }

    /**
     * Returns the kind of a file, which is read as pages or as text.
     *
     * @param beginning the first characters of its data, which may be the URL of data with a media
     *     type
     */
    static Kind ofFile(String beginning) {
      boolean stated = beginning.regionMatches(true, 0, DATA_URL, 0, DATA_URL.length());
      return of(stated ? beginning.substring(DATA_URL.length()) : null) == TEXT ? TEXT : DOCUMENT;
    }
  }

  private final long image;
  private final long page;
  private final long secondOfAudio;
  private final long secondOfVideo;
  private final long mostPages;

  AttachmentTokens(long image, long page, long secondOfAudio, long secondOfVideo, long mostPages) {
    this.image = image;
    this.page = page;
    this.secondOfAudio = secondOfAudio;
    this.secondOfVideo = secondOfVideo;
    this.mostPages = mostPages;
  }

  /**
   * Returns the tokens of an attachment.
   *
   * @param base64Chars the length of its data in base64, or {@link #UNKNOWN_CHARS}
   */
  long of(Kind kind, long base64Chars) {
    boolean unknown = base64Chars == UNKNOWN_CHARS;
    long bytes = unknown ? 0 : Math.ceilDiv(base64Chars * 3, 4L);
    return switch (kind) {
      case IMAGE -> image;
      case AUDIO -> secondOfAudio * units(unknown, bytes, BYTES_A_SECOND_OF_AUDIO, UNKNOWN_SECONDS);
      case VIDEO -> secondOfVideo * units(unknown, bytes, BYTES_A_SECOND_OF_VIDEO, UNKNOWN_SECONDS);
      case TEXT -> unknown ? of(Kind.DOCUMENT, base64Chars) : Math.max(1, Math.ceilDiv(bytes, 4L));
      case DOCUMENT ->
          page * Math.min(mostPages, units(unknown, bytes, BYTES_A_PAGE, UNKNOWN_PAGES));
    };
  }

  /** Returns how many pages or seconds there are, at least one. */
  private static long units(boolean unknown, long bytes, long bytesEach, long otherwise) {
    return unknown ? otherwise : Math.max(1, Math.ceilDiv(bytes, bytesEach));
  }
}
