package io.penstock.prefix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A section of a prompt for a provider that caches by itself. It has a boundary after each {@link
 * #STEP_BYTES} bytes, which are 1,024 tokens by the rule of thumb: the smallest prompt that OpenAI
 * caches. Smaller steps would be more exact, but longer lists: a prompt of 100,000 tokens has 100
 * boundaries. Steps without any new text, such as those within the data of an image, are left out.
 */
public final class SteppedSection {
  /** Distance of boundaries. */
  public static final int STEP_BYTES = 4_096;

  /** Most boundaries of a prompt; none is made after the last of them. */
  public static final int MAX_BOUNDARIES = 256;

  private long[] hashes = new long[8];

  /** The sizes of the steps, in quarters of a token; behind those, the lengths of open ones. */
  private long[] sizes = new long[8];

  private int steps;
  private int open;
  private long hash;
  private long quarterTokens;

  /** Notes that a step ends after {@code length} bytes, with the hash of all of them. */
  public void step(long hash, long length) {
    if (open == MAX_BOUNDARIES) {
      return;
    }
    if (open == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * open);
      sizes = Arrays.copyOf(sizes, 2 * open);
    }
    hashes[open] = hash;
    sizes[open++] = length;
  }

  /** Returns whether there are steps of a size not known yet. */
  public boolean hasUnsized() {
    return open > steps;
  }

  /**
   * States the estimated size of the section up to the end of a value, which tells that of the
   * steps within the value: they are smaller by the bytes between. So within the data of an image,
   * they are no larger than the last step before it, and are dropped.
   *
   * @param length the bytes of the section up to there
   * @param quarterTokens its size in quarters of a token
   */
  public void size(long length, long quarterTokens) {
    for (int i = steps; i < open; i++) {
      long size = quarterTokens - (length - sizes[i]);
      if (size > (steps == 0 ? 0 : sizes[steps - 1])) {
        hashes[steps] = hashes[i];
        sizes[steps++] = size;
      }
    }
    open = steps;
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
   * @param minimumTokens the smallest prompt that the provider stores
   */
  public static PromptPrefix join(
      ContentHash hash, List<@Nullable SteppedSection> sections, long minimumTokens) {
    List<Boundary> boundaries = new ArrayList<>();
    long before = 0;
    long quarters = 0;
    for (SteppedSection section : sections) {
      if (section != null) {
        for (int i = 0; i < section.steps && boundaries.size() < MAX_BOUNDARIES; i++) {
          long tokens = Math.ceilDiv(quarters + section.sizes[i], 4L);
          boundaries.add(
              new Boundary(
                  hash.of(before, section.hashes[i]),
                  tokens,
                  tokens >= minimumTokens,
                  Boundary.SHORT_LIFETIME_SECONDS));
        }
        quarters += section.quarterTokens;
      }
      before = hash.of(before, section == null ? 0 : section.hash);
    }
    return boundaries.isEmpty() ? PromptPrefix.NONE : new PromptPrefix(boundaries, true);
  }
}
