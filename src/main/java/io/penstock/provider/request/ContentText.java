package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import io.penstock.tokenizer.TokenEstimate;
import java.util.BitSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The input text in messages or in a system prompt. Parts may contain parts (the result of a tool
 * contains blocks), and a template of the provider's may show any member to the model, so all
 * strings at any depth count, except short {@link #LABELS}; the arguments of a tool call count as
 * JSON. Parts that are not text, such as the base64 of an image, count by their kind and size.
 */
public class ContentText implements BodyMember {
  private static final int NOWHERE = -1;

  /** Longest type of a part, or of the media in it, that is kept. */
  private static final int MAX_TYPE = 64;

  /** Members that name what the provider fetches, and counts by what it finds there. */
  private static final Set<String> FETCHED =
      Set.of("file_id", "file_url", "document_url", "video_url", "audio_url");

  /** Members that belong to their message or part unless they are long. */
  private static final Set<String> LABELS =
      Set.of("role", "type", "id", "call_id", "tool_call_id", "tool_use_id", "status", "detail");

  private static final int LONGEST_LABEL = 64;

  /** Types of parts that name what the provider has stored. */
  private static final Set<String> STORED =
      Set.of(
          "item_reference",
          "web_search_call",
          "file_search_call",
          "code_interpreter_call",
          "image_generation_call");

  /** Members of an attachment with its data, or attachments themselves. */
  private static final Set<String> DATA = Set.of("data", "file_data");

  /** The parts that count as a message, which takes some tokens besides its text. */
  public enum Messages {
    /** Each object in the list. */
    EACH,
    /** Each object in the list, or the text in its place. */
    EACH_OR_TEXT,
    /** All of it together, if there is any text. */
    ALL_AS_ONE,
    NONE
  }

  /**
   * The members of messages that count, at any depth.
   *
   * @param rule the tokens of attachments
   * @param attachments members that are an attachment, whatever they contain
   * @param json members that count as JSON if they are not strings
   */
  public record Names(AttachmentTokens rule, Set<String> attachments, Set<String> json) {}

  private final Names names;
  private final Messages messages;
  private final KeptText.@Nullable Part kept;

  private long textBytes;
  private long objects;
  private boolean bare;
  private boolean text;
  private long attachmentTokens;
  private boolean unseen;

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
   * @param kept receives the text, or null
   */
  public ContentText(Names names, Messages messages, KeptText.@Nullable Part kept) {
    this.names = names;
    this.messages = messages;
    this.kept = kept;
  }

  @Override
  public final long textBytes() {
    return textBytes;
  }

  @Override
  public final long otherTokens() {
    long number =
        switch (messages) {
          case EACH -> objects;
          case EACH_OR_TEXT -> objects + (bare ? 1 : 0);
          case ALL_AS_ONE -> text ? 1 : 0;
          case NONE -> 0;
        };
    return number * TokenEstimate.TOKENS_A_MESSAGE + attachmentTokens;
  }

  @Override
  public final boolean unseenInput() {
    return unseen;
  }

  @Override
  public final void open(JsonWalk at, boolean array) {
    int depth = at.depth();
    unseen |= isFetched(at);
    if (depth == 2 && !array) {
      objects++;
    }
    if (attachmentDepth != NOWHERE) {
      return;
    }
    String name = at.name();
    if (jsonDepth != NOWHERE) {
      textBytes += at.containerBytes(kept);
    } else if (name != null && names.attachments().contains(name)) {
      attachmentDepth = depth;
      attachmentKind = kind(name);
      attachmentChars = AttachmentTokens.UNKNOWN_CHARS;
    } else if (depth > 1 && name != null && names.json().contains(name)) {
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

  @Override
  public final void close(JsonWalk at) {
    int depth = at.depth();
    if (jsonDepth != NOWHERE && attachmentDepth == NOWHERE && kept != null) {
      kept.closeJson(at.isArray());
    }
    flatParts.clear(depth + 1);
    if (depth == attachmentDepth) {
      attachmentDepth = NOWHERE;
      attachmentTokens += names.rule().of(attachmentKind, attachmentChars);
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
      attachmentTokens +=
          names.rule().of(kind, known ? sourceBytes : AttachmentTokens.UNKNOWN_CHARS);
      unseen |= !known && kind != AttachmentTokens.Kind.IMAGE;
    }
  }

  /** Returns whether a member names what the provider fetches, or a recording that it has made. */
  private static boolean isFetched(JsonWalk at) {
    String name = at.name();
    boolean recording = "id".equals(name) && "audio".equals(at.name(at.depth() - 1));
    return recording || (name != null && FETCHED.contains(name));
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
      case "input_audio", "audio_url" -> AttachmentTokens.Kind.AUDIO;
      case "video_url" -> AttachmentTokens.Kind.VIDEO;
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
      return names.rule().of(AttachmentTokens.Kind.ofFile(at.beginning(MAX_TYPE)), at.length());
    }
    boolean image = flatParts.get(at.depth());
    return names
        .rule()
        .of(image ? AttachmentTokens.Kind.IMAGE : kind(name), AttachmentTokens.UNKNOWN_CHARS);
  }

  @Override
  public void scalar(JsonWalk at) {
    text |= at.isString();
    unseen |= at.isString() && isFetched(at);
    bare |= at.isString() && at.depth() == 1;
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
      String type = at.isAtMost(MAX_TYPE) ? at.text() : "";
      // a part that says so only later is taken for a document
      flatParts.set(depth, isFlat(type));
      unseen |= STORED.contains(type);
    }
    if (name != null && names.attachments().contains(name)) {
      attachmentTokens += attached(at, name);
    } else if (name == null || !LABELS.contains(name) || !at.isAtMost(LONGEST_LABEL)) {
      textBytes += at.utf8Bytes(kept);
    }
  }
}
