package io.penstock.provider.anthropic;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.Boundary;
import io.penstock.prefix.ContentHash;
import io.penstock.prefix.HashKey;
import io.penstock.prefix.MarkedSection;
import io.penstock.prefix.PromptPrefix;
import io.penstock.provider.request.PromptReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the beginnings of a prompt that Anthropic caches: those up to blocks with a {@code
 * cache_control} mark, and up to blocks at which Anthropic looks for earlier entries. A mark is no
 * content, so the fingerprints do not depend on it. A text in place of a list of blocks counts as
 * the list of one block that it stands for.
 *
 * <p>Values are compared as they are written: another order of members within a block, or another
 * way to escape a text, makes another fingerprint, as it may at the provider.
 *
 * <p>Source: Anthropic's guide to prompt caching, "What can be cached" and "What invalidates the
 * cache".
 */
final class MarkedPrefix implements PromptReader, CompactBytes.Receiver {
  private static final String MARK = "cache_control";
  private static final String CONTENT = "content";
  private static final int NOWHERE = -1;

  /** The level of the mark of a block within the result of a tool. */
  private static final int DEEPEST_MARK = 7;

  /**
   * Members that are part of the prompt, or change how it is presented, in their order: servers of
   * tools add to the tools, and a format of the output adds to the instructions.
   */
  private static final List<String> SECTIONS =
      List.of(
          "mcp_servers",
          "tools",
          "speed",
          "output_format",
          "system",
          "tool_choice",
          "thinking",
          "output_config",
          "messages");

  private static final int TOOLS = SECTIONS.indexOf("tools");
  private static final int SYSTEM = SECTIONS.indexOf("system");
  private static final int MESSAGES = SECTIONS.indexOf("messages");

  /** Parts of the names of models, by the tokens of the smallest prompt that is cached for them. */
  private static final Map<Long, List<String>> SMALLEST_CACHED =
      Map.of(
          512L, List.of("fable-5", "mythos-5", "opus-5"),
          2_048L, List.of("mythos-preview", "opus-4-7", "3-haiku", "3-5-haiku", "haiku-3"),
          4_096L, List.of("opus-4-6", "opus-4-5", "haiku-4-5"));

  private static final long USUALLY_CACHED = 1_024;

  private static final byte[] TEXT_BEGINS = "[{\"type\":\"text\",\"text\":".getBytes(US_ASCII);
  private static final byte[] BLOCK_ENDS = "}".getBytes(US_ASCII);
  private static final byte[] LIST_ENDS = "]".getBytes(US_ASCII);

  private final ToLongFunction<String> quarterTokens;
  private final CompactBytes compactBytes = new CompactBytes(this, DEEPEST_MARK);
  private ContentHash hash = new ContentHash(HashKey.OF_PROCESS);
  private ContentHash noted = new ContentHash(HashKey.OF_PROCESS);
  private final @Nullable MarkedSection[] sections = new @Nullable MarkedSection[SECTIONS.size()];
  private int section = NOWHERE;

  private int blockDepth = NOWHERE;
  private MarkedSection.Kind kind = MarkedSection.Kind.OTHER;
  private int blockLifetime;

  private int markDepth = NOWHERE;
  private boolean ephemeral;
  private int markLifetime;
  private int automaticLifetime = MarkedSection.UNMARKED;

  /**
   * @param quarterTokens returns the estimated size so far of the section with a name, in quarters
   *     of a token
   */
  MarkedPrefix(ToLongFunction<String> quarterTokens) {
    this.quarterTokens = quarterTokens;
  }

  @Override
  public void begin(HashKey key) {
    hash = new ContentHash(key);
    noted = new ContentHash(key);
  }

  @Override
  public CompactBytes compactBytes() {
    return compactBytes;
  }

  @Override
  public CompactBytes.Use member(JsonWalk at) {
    if (at.depth() == 1) {
      return section(at.name());
    }
    if (isMark(at)) {
      return CompactBytes.Use.LEAVE_OUT;
    }
    return isContent(at) ? CompactBytes.Use.PASS_AND_TELL : CompactBytes.Use.PASS;
  }

  private CompactBytes.Use section(@Nullable String name) {
    section = name == null ? NOWHERE : SECTIONS.indexOf(name);
    blockDepth = NOWHERE;
    markDepth = NOWHERE;
    if (section == NOWHERE) {
      return CompactBytes.Use.LEAVE_OUT;
    }
    hash.restart();
    sections[section] = new MarkedSection();
    return section == SYSTEM ? CompactBytes.Use.PASS_AND_TELL : CompactBytes.Use.PASS;
  }

  /** Returns whether the member is the content of a message. */
  private boolean isContent(JsonWalk at) {
    return section == MESSAGES
        && at.depth() == 3
        && at.name(2) == null
        && CONTENT.equals(at.name());
  }

  /**
   * Returns whether the member is the mark of a block, or of a block within the result of a tool,
   * which counts for the whole result.
   */
  private boolean isMark(JsonWalk at) {
    int depth = at.depth() - blockDepth;
    if (blockDepth == NOWHERE || (depth != 1 && depth != 3) || !MARK.equals(at.name())) {
      return false;
    }
    return depth == 1
        || (section == MESSAGES
            && CONTENT.equals(at.name(blockDepth + 1))
            && at.name(blockDepth + 2) == null);
  }

  @Override
  public void stringBegins() {
    hash.add(TEXT_BEGINS);
  }

  @Override
  public void bytes(ByteBuffer piece, int from, int to) {
    hash.add(piece, from, to);
  }

  @Override
  public void note() {
    noted.copy(hash);
  }

  @Override
  public void takeBack() {
    hash.copy(noted);
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    int depth = at.depth();
    if (array || markDepth != NOWHERE) {
      return;
    }
    if (depth == 1 ? MARK.equals(at.name()) : isMark(at)) {
      markDepth = depth;
      ephemeral = false;
      markLifetime = Boundary.SHORT_LIFETIME_SECONDS;
    } else if (blockDepth == NOWHERE && isBlock(at, depth)) {
      blockDepth = depth;
      kind = MarkedSection.Kind.OTHER;
      blockLifetime = MarkedSection.UNMARKED;
    }
  }

  private boolean isBlock(JsonWalk at, int depth) {
    if (section == TOOLS || section == SYSTEM) {
      return depth == 2 && at.name() == null;
    }
    return section == MESSAGES
        && depth == 4
        && at.name() == null
        && CONTENT.equals(at.name(3))
        && at.name(2) == null;
  }

  @Override
  public void scalar(JsonWalk at) {
    int depth = at.depth();
    if (markDepth != NOWHERE) {
      if (depth == markDepth + 1) {
        readMark(at);
      }
    } else if (blockDepth != NOWHERE) {
      if (depth == blockDepth + 1 && at.isString()) {
        readBlock(at);
      }
    } else if (section != NOWHERE && depth == 1) {
      if (section == SYSTEM && at.isString()) {
        addText(at);
      }
      endSection(at.isNull());
    } else if (isContent(at) && at.isString()) {
      addText(at);
    }
  }

  private void readMark(JsonWalk at) {
    String name = at.name();
    if ("type".equals(name)) {
      ephemeral = is(at, "ephemeral");
    } else if ("ttl".equals(name)) {
      if (is(at, "1h")) {
        markLifetime = Boundary.LONG_LIFETIME_SECONDS;
      } else if (!is(at, "5m") && !at.isNull()) {
        markLifetime = MarkedSection.UNMARKED;
      }
    }
  }

  private static boolean is(JsonWalk at, String text) {
    return at.isString() && at.length() == text.length() && text.equals(at.text());
  }

  private void readBlock(JsonWalk at) {
    String name = at.name();
    if ("type".equals(name)) {
      kind = kind == MarkedSection.Kind.NOT_CACHED ? kind : kind(at);
    } else if ("text".equals(name) && at.isAtMost(0)) {
      kind = MarkedSection.Kind.NOT_CACHED;
    }
  }

  private static MarkedSection.Kind kind(JsonWalk at) {
    // most types are told by their length, without making a string of them
    return switch (at.length()) {
      case 8 ->
          switch (at.text()) {
            case "tool_use" -> MarkedSection.Kind.TOOL_CALL;
            case "thinking" -> MarkedSection.Kind.NOT_CACHED;
            default -> MarkedSection.Kind.OTHER;
          };
      case 11 -> is(at, "tool_result") ? MarkedSection.Kind.TOOL_RESULT : MarkedSection.Kind.OTHER;
      case 17 ->
          is(at, "redacted_thinking") ? MarkedSection.Kind.NOT_CACHED : MarkedSection.Kind.OTHER;
      default -> MarkedSection.Kind.OTHER;
    };
  }

  /** Adds a text that stands for a list of one block. */
  private void addText(JsonWalk at) {
    compactBytes.flush();
    hash.add(BLOCK_ENDS);
    kind = at.isAtMost(0) ? MarkedSection.Kind.NOT_CACHED : MarkedSection.Kind.OTHER;
    blockLifetime = MarkedSection.UNMARKED;
    addBlock();
    hash.add(LIST_ENDS);
  }

  @Override
  public void close(JsonWalk at) {
    int depth = at.depth();
    if (markDepth != NOWHERE) {
      if (depth == markDepth) {
        endMark();
      }
    } else if (blockDepth != NOWHERE) {
      if (depth == blockDepth) {
        blockDepth = NOWHERE;
        compactBytes.flush();
        addBlock();
      }
    } else if (section != NOWHERE && depth == 1) {
      endSection(false);
    }
  }

  private void endMark() {
    int lifetime = ephemeral ? markLifetime : MarkedSection.UNMARKED;
    if (markDepth == 1) {
      automaticLifetime = lifetime;
    } else if (lifetime != MarkedSection.UNMARKED) {
      blockLifetime = lifetime;
    }
    markDepth = NOWHERE;
  }

  private void addBlock() {
    MarkedSection open = sections[section];
    if (open != null) {
      open.add(hash.value(), size(), kind, blockLifetime);
    }
  }

  private void endSection(boolean absent) {
    MarkedSection open = sections[section];
    if (absent) {
      sections[section] = null;
    } else if (open != null) {
      compactBytes.flush();
      open.end(hash.value(), size());
    }
    section = NOWHERE;
  }

  private long size() {
    return quarterTokens.applyAsLong(SECTIONS.get(section));
  }

  @Override
  public PromptPrefix prefix(@Nullable String model) {
    return MarkedSection.join(
        hash, Arrays.asList(sections), automaticLifetime, smallestCached(model));
  }

  /**
   * Returns the smallest prompt that Anthropic caches for a model, in tokens. Clouds put their own
   * words before and after the names. Source: Anthropic's guide to prompt caching, "Cache
   * limitations".
   */
  private static long smallestCached(@Nullable String model) {
    return SMALLEST_CACHED.entrySet().stream()
        .filter(each -> model != null && each.getValue().stream().anyMatch(model::contains))
        .mapToLong(Map.Entry::getKey)
        .findFirst()
        .orElse(USUALLY_CACHED);
  }
}
