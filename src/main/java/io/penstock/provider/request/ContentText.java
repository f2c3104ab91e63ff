package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The input text in messages or in a system prompt. Parts may contain parts (the result of a tool
 * contains blocks), so strings are recognized by their name at any depth; the arguments of a tool
 * call count as JSON. Parts that are not text, such as the base64 of an image, count by their kind
 * and size.
 */
final class ContentText {
  private static final int NOWHERE = -1;

  /** Longest type of a part, or of the media in it, that is kept. */
  private static final int MAX_TYPE = 64;

  /** Members of an attachment with its data, or attachments themselves. */
  private static final Set<String> DATA = Set.of("data", "file_data");

  private final AttachmentTokens rule;
  private final Set<String> textNames;
  private final Set<String> attachmentNames;
  private final Set<String> jsonNames;
  private final KeptText.@Nullable Part kept;

  private long textBytes;
  private long messages;
  private long attachmentTokens;

  private int jsonDepth = NOWHERE;
  private int attachmentDepth = NOWHERE;
  private AttachmentTokens.Kind attachmentKind = AttachmentTokens.Kind.DOCUMENT;
  private long attachmentChars;
  private int sourceDepth = NOWHERE;
  private long sourceBytes;
  private @Nullable String sourceType;
  private @Nullable String sourceMedia;

  /** Depths of the members of parts that have said that they are an image, or a citation. */
  private final BitSet flatParts = new BitSet();

  /**
   * @param rule the tokens of attachments
   * @param textNames members whose strings are text
   * @param attachmentNames members that are an attachment, whatever they contain
   */
  ContentText(AttachmentTokens rule, Set<String> textNames, Set<String> attachmentNames) {
    this(rule, textNames, attachmentNames, Set.of("input"), null);
  }

  /**
   * @param rule the tokens of attachments
   * @param textNames members whose strings are text
   * @param attachmentNames members that are an attachment, whatever they contain
   * @param jsonNames members that count as JSON if they are not strings
   * @param kept receives the text, or null
   */
  ContentText(
      AttachmentTokens rule,
      Set<String> textNames,
      Set<String> attachmentNames,
      Set<String> jsonNames,
      KeptText.@Nullable Part kept) {
    this.rule = rule;
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

  long attachmentTokens() {
    return attachmentTokens;
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
      attachmentDepth = depth;
      attachmentKind = kind(name);
      attachmentChars = AttachmentTokens.UNKNOWN_CHARS;
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
      sourceMedia = null;
    }
  }

  void close(JsonWalk at) {
    int depth = at.depth();
    if (jsonDepth != NOWHERE && attachmentDepth == NOWHERE && kept != null) {
      kept.closeJson(at.isArray());
    }
    flatParts.clear(depth + 1);
    if (depth == attachmentDepth) {
      attachmentDepth = NOWHERE;
      attachmentTokens += rule.of(attachmentKind, attachmentChars);
    } else if (depth == jsonDepth) {
      jsonDepth = NOWHERE;
    } else if (depth == sourceDepth) {
      closeSource();
      sourceDepth = NOWHERE;
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
      boolean known = "base64".equals(sourceType);
      boolean image = sourceMedia == null && flatParts.get(sourceDepth);
      AttachmentTokens.Kind kind =
          image ? AttachmentTokens.Kind.IMAGE : AttachmentTokens.Kind.of(sourceMedia);
      attachmentTokens += rule.of(kind, known ? sourceBytes : AttachmentTokens.UNKNOWN_CHARS);
    }
  }

  /**
   * Returns whether a type of a part means that what it names counts as an image does, whatever its
   * size: it is one, or it cites a file that is not read again.
   */
  private static boolean isFlat(String type) {
    return type.equals("image")
        || type.equals("input_image")
        || type.equals("computer_screenshot")
        || type.equals("file_path")
        || type.endsWith("_citation");
  }

  /** Returns the kind of an attachment by the name of its member. */
  private static AttachmentTokens.Kind kind(String name) {
    return switch (name) {
      case "image_url", "result" -> AttachmentTokens.Kind.IMAGE;
      case "input_audio" -> AttachmentTokens.Kind.AUDIO;
      default -> AttachmentTokens.Kind.DOCUMENT;
    };
  }

  /** Reads a member of an attachment. */
  private void attached(JsonWalk at) {
    String name = at.name();
    if (at.isString() && name != null && DATA.contains(name)) {
      attachmentChars = Math.max(0, attachmentChars) + at.length();
      if (attachmentKind == AttachmentTokens.Kind.DOCUMENT) {
        attachmentKind = AttachmentTokens.Kind.ofFile(at.beginning(MAX_TYPE));
      }
    }
  }

  /** Returns the tokens of an attachment that is a string: its data, its address or its id. */
  private long attached(JsonWalk at, String name) {
    if (DATA.contains(name)) {
      return rule.of(AttachmentTokens.Kind.ofFile(at.beginning(MAX_TYPE)), at.length());
    }
    boolean image = flatParts.get(at.depth());
    return rule.of(
        image ? AttachmentTokens.Kind.IMAGE : kind(name), AttachmentTokens.UNKNOWN_CHARS);
  }

  void scalar(JsonWalk at) {
    if (attachmentDepth != NOWHERE) {
      attached(at);
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
        sourceType = at.isAtMost(MAX_TYPE) ? at.text() : null;
        return;
      }
      if ("media_type".equals(name)) {
        sourceMedia = at.isAtMost(MAX_TYPE) ? at.text() : null;
        return;
      }
      if ("data".equals(name)) {
        sourceBytes += at.utf8Bytes();
        return;
      }
    }
    if ("type".equals(name)) {
      // a part that says so only later is taken for a document
      flatParts.set(depth, at.isAtMost(MAX_TYPE) && isFlat(at.text()));
    }
    if (name == null) {
      // "content": ["text"]
      String list = at.name(depth - 1);
      if (list != null && textNames.contains(list)) {
        textBytes += at.utf8Bytes(kept);
      }
    } else if (attachmentNames.contains(name)) {
      attachmentTokens += attached(at, name);
    } else if (depth == 1 || textNames.contains(name) || (depth > 3 && name.equals("name"))) {
      // a name at depth 3 is the speaker's, which belongs to the message
      textBytes += at.utf8Bytes(kept);
    }
  }
}
