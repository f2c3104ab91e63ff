package io.penstock.provider.request;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rules of thumb by which a provider counts images, documents and recordings. An image counts the
 * same whatever its size, because providers scale it down to a bound. All else grows with the size
 * of its data, which tells pages and seconds only roughly.
 *
 * @param image tokens of an image
 * @param page tokens of a page of a document
 * @param secondOfAudio tokens of a second of sound
 * @param secondOfVideo tokens of a second of video
 * @param mostPages the most pages of a document
 */
public record AttachmentTokens(
    long image, long page, long secondOfAudio, long secondOfVideo, long mostPages) {
  /** Size of an attachment that is given by its address or its id. */
  public static final long UNKNOWN_CHARS = -1;

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
  public enum Kind {
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
    public static Kind of(@Nullable String mediaType) {
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

  /**
   * Returns the tokens of an attachment.
   *
   * @param base64Chars the length of its data in base64, or {@link #UNKNOWN_CHARS}
   */
  public long of(Kind kind, long base64Chars) {
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
