package io.penstock.provider.request;

import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.ContentHash;
import io.penstock.prefix.PromptPrefix;
import io.penstock.prefix.SteppedSection;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the beginnings of a prompt for a provider that caches by itself: those after each {@link
 * SteppedSection#STEP_BYTES} bytes of a section. Values are compared as they are written.
 */
final class SteppedPrefix implements CompactBytes.Receiver {
  private static final int NOWHERE = -1;

  private final List<String> names;
  private final CompactBytes compactBytes = new CompactBytes(this);
  private final ContentHash hash = new ContentHash();
  private final @Nullable SteppedSection[] sections;
  private @Nullable SteppedSection open;
  private long nextStep;

  /**
   * @param names the members that are part of the prompt, in the order of the provider; at most one
   *     of several names for the same is in a body, so they can stand beside each other
   */
  SteppedPrefix(String... names) {
    this.names = List.of(names);
    this.sections = new @Nullable SteppedSection[names.length];
  }

  /** Returns what passes the bytes of the document on to here. */
  CompactBytes compactBytes() {
    return compactBytes;
  }

  @Override
  public CompactBytes.Use member(JsonWalk at) {
    if (at.depth() > 1) {
      return CompactBytes.Use.PASS;
    }
    String name = at.name();
    int found = name == null ? NOWHERE : names.indexOf(name);
    open = null;
    if (found == NOWHERE) {
      return CompactBytes.Use.LEAVE_OUT;
    }
    hash.restart();
    nextStep = SteppedSection.STEP_BYTES;
    open = new SteppedSection();
    sections[found] = open;
    return CompactBytes.Use.PASS;
  }

  @Override
  public void stringBegins() {}

  @Override
  public void note() {}

  @Override
  public void takeBack() {}

  @Override
  public void bytes(ByteBuffer piece, int from, int to) {
    int at = from;
    while (open != null && to - at >= nextStep - hash.length()) {
      int step = at + (int) (nextStep - hash.length());
      hash.add(piece, at, step);
      open.step(hash.value(), nextStep);
      nextStep += SteppedSection.STEP_BYTES;
      at = step;
    }
    hash.add(piece, at, to);
  }

  /** An object or array begins, up to which the section has an estimated size. */
  void opened(long quarterTokens) {
    reach(quarterTokens);
  }

  /** An object or array ends, up to which the section has an estimated size. */
  void closed(JsonWalk at, long quarterTokens) {
    reach(quarterTokens);
    if (at.depth() == 1) {
      end(quarterTokens);
    }
  }

  /** A value ends, up to which the section has an estimated size. */
  void scalar(JsonWalk at, long quarterTokens) {
    if (at.depth() == 1 && at.isNull() && open != null) {
      sections[names.indexOf(at.name())] = null;
      open = null;
    }
    closed(at, quarterTokens);
  }

  private void reach(long quarterTokens) {
    if (open == null) {
      return;
    }
    long length = hash.length() + compactBytes.pending();
    if (length >= nextStep) {
      compactBytes.flush();
    }
    open.reach(length, quarterTokens);
  }

  private void end(long quarterTokens) {
    if (open != null) {
      compactBytes.flush();
      open.end(hash.value(), quarterTokens);
      open = null;
    }
  }

  /**
   * Returns the beginnings that are cached, after the body was read to its end.
   *
   * @param minimumTokens the smallest prompt that the provider caches
   */
  PromptPrefix prefix(long minimumTokens) {
    return SteppedSection.join(Arrays.asList(sections), minimumTokens);
  }
}
