package io.penstock.provider.gemini;

import io.penstock.json.JsonWalk;
import io.penstock.provider.request.AttachmentTokens;
import io.penstock.provider.request.BodyMember;
import io.penstock.tokenizer.TokenEstimate;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The input text in Gemini's contents. Google's JSON accepts names in camel case and in snake case,
 * and a single object in place of a list, so strings are recognized by their name at any depth.
 * Function calls and their results count as JSON; attached data, such as the base64 of an image,
 * counts by its kind and size.
 */
final class GeminiText implements BodyMember {
  /**
   * Sources: Gemini API, "Understand and count tokens" (258 tokens an image, 32 a second of audio,
   * about 300 a second of video) and "Media resolution" (560 tokens a page of a PDF).
   */
  private static final AttachmentTokens ATTACHMENTS =
      new AttachmentTokens(258, 560, 32, 300, 1_000);

  private static final Set<String> TEXT = Set.of("text", "code", "output", "title");
  private static final Set<String> INLINE = Set.of("inlineData", "inline_data");
  private static final Set<String> FILE = Set.of("fileData", "file_data");
  private static final Set<String> MEDIA_TYPE = Set.of("mimeType", "mime_type");
  private static final int MAX_MEDIA_TYPE = 64;
  private static final Set<String> FUNCTION =
      Set.of("functionCall", "function_call", "functionResponse", "function_response");
  private static final int NOWHERE = -1;

  private final boolean countsContents;
  private long bytes;
  private long contents;
  private long attachmentTokens;
  private boolean unseen;
  private int functionDepth = NOWHERE;
  private int attachedDepth = NOWHERE;
  private long attachedChars;
  private @Nullable String mediaType;

  /**
   * @param countsContents whether each content takes some tokens besides its text, as a message
   *     does
   */
  GeminiText(boolean countsContents) {
    this.countsContents = countsContents;
  }

  @Override
  public long textBytes() {
    return bytes;
  }

  @Override
  public long otherTokens() {
    return (countsContents ? contents * TokenEstimate.TOKENS_A_MESSAGE : 0) + attachmentTokens;
  }

  @Override
  public boolean unseenInput() {
    return unseen;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
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
      unseen |= FILE.contains(name);
      attachedChars = FILE.contains(name) ? AttachmentTokens.UNKNOWN_CHARS : 0;
      mediaType = null;
    } else if (functionDepth != NOWHERE) {
      bytes += at.containerBytes();
    } else if (name != null && FUNCTION.contains(name)) {
      functionDepth = depth;
      bytes += at.containerBytes();
    }
  }

  @Override
  public void close(JsonWalk at) {
    int depth = at.depth();
    if (depth == attachedDepth) {
      attachedDepth = NOWHERE;
      attachmentTokens += ATTACHMENTS.of(AttachmentTokens.Kind.of(mediaType), attachedChars);
    } else if (depth == functionDepth) {
      functionDepth = NOWHERE;
    }
  }

  @Override
  public void scalar(JsonWalk at) {
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
