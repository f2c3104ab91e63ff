package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import java.util.Set;

/**
 * The input text in Gemini's contents. Google's JSON accepts names in camel case and in snake case,
 * and a single object in place of a list, so strings are recognized by their name at any depth.
 * Function calls and their results count as JSON; attached data, such as the base64 of an image,
 * counts as one attachment.
 */
final class GeminiText {
  private static final Set<String> TEXT = Set.of("text", "code", "output", "title");
  private static final Set<String> ATTACHED =
      Set.of("inlineData", "inline_data", "fileData", "file_data");
  private static final Set<String> FUNCTION =
      Set.of("functionCall", "function_call", "functionResponse", "function_response");
  private static final int NOWHERE = -1;

  private long bytes;
  private long contents;
  private long attachments;
  private int functionDepth = NOWHERE;
  private int attachedDepth = NOWHERE;

  long textBytes() {
    return bytes;
  }

  /** Returns the number of contents. */
  long contents() {
    return contents;
  }

  long attachments() {
    return attachments;
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
    if (name != null && ATTACHED.contains(name)) {
      attachments++;
      attachedDepth = depth;
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
    } else if (depth == functionDepth) {
      functionDepth = NOWHERE;
    }
  }

  void scalar(JsonWalk at) {
    if (attachedDepth != NOWHERE) {
      return;
    }
    String name = at.name();
    if (functionDepth != NOWHERE) {
      bytes += at.compactBytes();
    } else if (at.isString() && name != null && (at.depth() == 1 || TEXT.contains(name))) {
      bytes += at.utf8Bytes();
    }
  }
}
