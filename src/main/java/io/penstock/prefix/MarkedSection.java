package io.penstock.prefix;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A section of a prompt with marks by the client for what the provider is to store. It keeps the
 * marked blocks and those before them at which the provider looks for earlier entries, and so never
 * more than {@link #MAX_MARKS} + 1 times {@link #POSITIONS} blocks.
 *
 * <p>Source: Anthropic's guide to prompt caching, "How automatic prefix checking works" and
 * "Automatic caching".
 */
public final class MarkedSection {
  /** Marks that the provider accepts in one request. */
  public static final int MAX_MARKS = 4;

  /** Positions at which the provider looks for an entry, from each mark on backwards. */
  static final int POSITIONS = 20;

  /** Value of a lifetime for a block that has no mark. */
  public static final int UNMARKED = 0;

  private final List<Block> kept = new ArrayList<>();
  private final ArrayDeque<Block> recent = new ArrayDeque<>();
  private Kind lastKind = Kind.OTHER;
  private int positions;
  private int marks;
  private long hash;
  private long quarterTokens;

  /** How the provider treats a block. */
  public enum Kind {
    /** A call of a tool: several in a row count as one position. */
    TOOL_CALL,
    /** The result of a tool: several in a row count as one position. */
    TOOL_RESULT,
    /** A block at which no entry can end, such as a thought or an empty text. */
    NOT_CACHED,
    /** Any other block. */
    OTHER;

    boolean joins(Kind last) {
      return this == last && (this == TOOL_CALL || this == TOOL_RESULT);
    }
  }

  /**
   * A block that is kept.
   *
   * @param hash the hash of the section up to its end
   * @param position its number in the section, from 1
   */
  private record Block(
      long hash, long quarterTokens, int position, boolean cached, int lifetimeSeconds) {
    boolean marked() {
      return lifetimeSeconds != UNMARKED;
    }
  }

  /**
   * Adds the next block.
   *
   * @param hash the hash of the section up to its end
   * @param quarterTokens the estimated size of the section up to its end
   * @param kind how the provider treats it
   * @param lifetimeSeconds the lifetime that its mark asks for, or {@link #UNMARKED}
   */
  public void add(long hash, long quarterTokens, Kind kind, int lifetimeSeconds) {
    Block last = recent.peekLast();
    if (!kind.joins(lastKind)) {
      positions++;
    } else if (last != null) {
      recent.removeLast();
    }
    lastKind = kind;
    boolean cached = kind != Kind.NOT_CACHED;
    boolean counts = cached && lifetimeSeconds != UNMARKED && marks < MAX_MARKS;
    recent.add(
        new Block(hash, quarterTokens, positions, cached, counts ? lifetimeSeconds : UNMARKED));
    if (counts) {
      marks++;
      kept.addAll(recent);
      recent.clear();
    } else if (recent.size() > POSITIONS) {
      recent.removeFirst();
    }
  }

  /**
   * Ends the section.
   *
   * @param hash the hash of all of it
   * @param quarterTokens its estimated size in quarters of a token, which is its bytes of text
   */
  public void end(long hash, long quarterTokens) {
    this.hash = hash;
    this.quarterTokens = quarterTokens;
  }

  /**
   * Puts the sections of a prompt together.
   *
   * @param hash makes the fingerprints
   * @param sections in the order of the provider; null where the request has none
   * @param automaticSeconds the lifetime for which the request lets the provider mark the last
   *     block that it can store, or {@link #UNMARKED}
   * @param minimumTokens the smallest prompt that the provider stores
   */
  public static PromptPrefix join(
      ContentHash hash,
      List<@Nullable MarkedSection> sections,
      int automaticSeconds,
      long minimumTokens) {
    List<Block> blocks = new ArrayList<>();
    long before = 0;
    long quarters = 0;
    int positions = 0;
    for (MarkedSection section : sections) {
      if (section != null) {
        section.addTo(blocks, hash, before, quarters, positions);
        quarters += section.quarterTokens;
        positions += section.positions;
      }
      before = hash.of(before, section == null ? 0 : section.hash);
    }
    if (automaticSeconds != UNMARKED) {
      markLast(blocks, automaticSeconds);
    }
    return boundaries(blocks, minimumTokens);
  }

  private void addTo(
      List<Block> blocks, ContentHash hash, long before, long quarters, int earlier) {
    List<Block> own = new ArrayList<>(kept);
    own.addAll(recent);
    for (Block block : own) {
      blocks.add(
          new Block(
              hash.of(before, block.hash),
              quarters + block.quarterTokens,
              earlier + block.position,
              block.cached,
              block.lifetimeSeconds));
    }
  }

  /** Marks the last block that can be stored, unless it is marked or there are enough marks. */
  private static void markLast(List<Block> blocks, int lifetimeSeconds) {
    if (blocks.stream().filter(Block::marked).count() >= MAX_MARKS) {
      return;
    }
    for (int i = blocks.size() - 1; i >= 0; i--) {
      Block last = blocks.get(i);
      if (last.cached) {
        if (!last.marked()) {
          blocks.set(
              i, new Block(last.hash, last.quarterTokens, last.position, true, lifetimeSeconds));
        }
        return;
      }
    }
  }

  private static PromptPrefix boundaries(List<Block> blocks, long minimumTokens) {
    int end = endOfMarks(blocks);
    List<Boundary> boundaries = new ArrayList<>();
    Block mark = null;
    for (int i = end - 1; i >= 0; i--) {
      Block block = blocks.get(i);
      mark = block.marked() || mark == null ? block : mark;
      if (mark.position - block.position < POSITIONS) {
        long tokens = Math.ceilDiv(block.quarterTokens, 4L);
        boolean stored = block.marked() && tokens >= minimumTokens;
        boundaries.add(new Boundary(block.hash, tokens, stored, mark.lifetimeSeconds));
      }
    }
    return boundaries.isEmpty() ? PromptPrefix.NONE : new PromptPrefix(boundaries.reversed());
  }

  /** Returns the number of blocks up to the last mark that counts. */
  private static int endOfMarks(List<Block> blocks) {
    int marks = 0;
    int end = 0;
    for (int i = 0; i < blocks.size() && marks < MAX_MARKS; i++) {
      if (blocks.get(i).marked()) {
        marks++;
        end = i + 1;
      }
    }
    return end;
  }
}
