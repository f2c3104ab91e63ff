package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The input text in Gemini's contents. Google's JSON accepts names in camel case and in snake case,
 * and a single object in place of a list, so strings are recognized by their name at any depth.
 * Function calls and their results count as JSON; attached data, such as the base64 of an image,
 * counts by its kind and size.
 */
final class GeminiText {
  private static final Set<String> TEXT = Set.of("text", "code", "output", "title");
  private static final Set<String> INLINE = Set.of("inlineData", "inline_data");
  private static final Set<String> FILE = Set.of("fileData", "file_data");
  private static final Set<String> MEDIA_TYPE = Set.of("mimeType", "mime_type");
  private static final int MAX_MEDIA_TYPE = 64;
  private static final Set<String> FUNCTION =
      Set.of("functionCall", "function_call", "functionResponse", "function_response");
  private static final int NOWHERE = -1;

  private long bytes;
  private long contents;
  private long attachmentTokens;
  private int functionDepth = NOWHERE;
  private int attachedDepth = NOWHERE;
  private long attachedChars;
  private @Nullable String mediaType;

  long textBytes() {
    return bytes;
  }

  /** Returns the number of contents. */
  long contents() {
    return contents;
  }

  long attachmentTokens() {
    return attachmentTokens;
  }

  void open(JsonWalk at, boolean array) {
    int depth = at.depth();
    if (!array && (depth == 1 || (depth == 2 && at.name() == null))) {
      contents++;
    }
    if (attachedDepth != NOWHERE) {
      return;
    }
    String name = at.name();
    if (name != null && (INLINE.contains(name) || FILE.contains(name))) {
      attachedDepth = depth;
      attachedChars = FILE.contains(name) ? AttachmentTokens.UNKNOWN_CHARS : 0;
      mediaType = null;
    } else if (functionDepth != NOWHERE) {
      bytes += at.containerBytes();
    } else if (name != null && FUNCTION.contains(name)) {
      functionDepth = depth;
      bytes += at.containerBytes();
    }
  }

  void close(JsonWalk at) {
    int depth = at.depth();
    if (depth == attachedDepth) {
      attachedDepth = NOWHERE;
      attachmentTokens +=
          AttachmentTokens.GEMINI.of(AttachmentTokens.Kind.of(mediaType), attachedChars);
    } else if (depth == functionDepth) {
      functionDepth = NOWHERE;
    }
  }

  void scalar(JsonWalk at) {
    String name = at.name();
    if (attachedDepth != NOWHERE) {
      if (at.isString() && name != null && MEDIA_TYPE.contains(name)) {
        mediaType = at.isAtMost(MAX_MEDIA_TYPE) ? at.text() : null;
      } else if (at.isString() && attachedChars != AttachmentTokens.UNKNOWN_CHARS) {
        attachedChars += at.length();
      }
      return;
    }
    if (functionDepth != NOWHERE) {
      bytes += at.compactBytes();
    } else if (at.isString() && name != null && (at.depth() == 1 || TEXT.contains(name))) {
      bytes += at.utf8Bytes();
    }
  }
}
