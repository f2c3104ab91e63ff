package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The input text in messages or in a system prompt. Parts may contain parts (the result of a tool
 * contains blocks), so strings are recognized by their name at any depth; the arguments of a tool
 * call count as JSON. Parts that are not text, such as the base64 of an image, count as one
 * attachment each.
 */
final class ContentText {
  private static final int NOWHERE = -1;

  private final Set<String> textNames;
  private final Set<String> attachmentNames;
  private final Set<String> jsonNames;
  private final KeptText.@Nullable Part kept;

  private long textBytes;
  private long messages;
  private long attachments;

  private int jsonDepth = NOWHERE;
  private int attachmentDepth = NOWHERE;
  private int sourceDepth = NOWHERE;
  private long sourceBytes;
  private @Nullable String sourceType;

  /**
   * @param textNames members whose strings are text
   * @param attachmentNames members that are an attachment, whatever they contain
   */
  ContentText(Set<String> textNames, Set<String> attachmentNames) {
    this(textNames, attachmentNames, Set.of("input"), null);
  }

  /**
   * @param textNames members whose strings are text
   * @param attachmentNames members that are an attachment, whatever they contain
   * @param jsonNames members that count as JSON if they are not strings
   * @param kept receives the text, or null
   */
  ContentText(
      Set<String> textNames,
      Set<String> attachmentNames,
      Set<String> jsonNames,
      KeptText.@Nullable Part kept) {
    this.textNames = textNames;
    this.attachmentNames = attachmentNames;
    this.jsonNames = jsonNames;
    this.kept = kept;
  }

  long textBytes() {
    return textBytes;
  }

  /** Returns the number of objects in the list. */
  long messages() {
    return messages;
  }

  long attachments() {
    return attachments;
  }

  void open(JsonWalk at, boolean array) {
    int depth = at.depth();
    if (depth == 2 && !array) {
      messages++;
    }
    if (attachmentDepth != NOWHERE) {
      return;
    }
    String name = at.name();
    if (jsonDepth != NOWHERE) {
      textBytes += at.containerBytes(kept);
    } else if (name != null && attachmentNames.contains(name)) {
      attachments++;
      attachmentDepth = depth;
    } else if (depth > 1 && name != null && jsonNames.contains(name)) {
      jsonDepth = depth;
      textBytes += 1;
      if (kept != null) {
        kept.append(array ? "[" : "{");
      }
    } else if ("source".equals(name)) {
      sourceDepth = depth;
      sourceBytes = 0;
      sourceType = null;
    }
  }

  void close(JsonWalk at) {
    int depth = at.depth();
    if (jsonDepth != NOWHERE && attachmentDepth == NOWHERE && kept != null) {
      kept.closeJson(at.isArray());
    }
    if (depth == attachmentDepth) {
      attachmentDepth = NOWHERE;
    } else if (depth == jsonDepth) {
      jsonDepth = NOWHERE;
    } else if (depth == sourceDepth) {
      sourceDepth = NOWHERE;
      closeSource();
    }
  }

  /**
   * Ends a source. Data of a text source is text; a source made of content has already been
   * counted.
   */
  private void closeSource() {
    if ("text".equals(sourceType)) {
      textBytes += sourceBytes;
    } else if (!"content".equals(sourceType)) {
      attachments++;
    }
  }

  void scalar(JsonWalk at) {
    if (attachmentDepth != NOWHERE) {
      return;
    }
    if (jsonDepth != NOWHERE) {
      textBytes += at.compactBytes(kept);
    } else if (at.isString()) {
      string(at, at.depth());
    }
  }

  private void string(JsonWalk at, int depth) {
    String name = at.name();
    if (depth == sourceDepth + 1 && sourceDepth != NOWHERE) {
      if ("type".equals(name)) {
        sourceType = at.isAtMost(16) ? at.text() : null;
        return;
      }
      if ("data".equals(name)) {
        sourceBytes += at.utf8Bytes();
        return;
      }
    }
    if (name == null) {
      // "content": ["text"]
      String list = at.name(depth - 1);
      if (list != null && textNames.contains(list)) {
        textBytes += at.utf8Bytes(kept);
      }
    } else if (attachmentNames.contains(name)) {
      attachments++;
    } else if (depth == 1 || textNames.contains(name) || (depth > 3 && name.equals("name"))) {
      // a name at depth 3 is the speaker's, which belongs to the message
      textBytes += at.utf8Bytes(kept);
    }
  }
}
