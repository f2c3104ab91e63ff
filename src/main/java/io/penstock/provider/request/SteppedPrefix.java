package io.penstock.provider.request;

import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.ContentHash;
import io.penstock.prefix.HashKey;
import io.penstock.prefix.PromptPrefix;
import io.penstock.prefix.SteppedSection;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the beginnings of a prompt for a provider that caches by itself: those after each {@link
 * SteppedSection#STEP_BYTES} bytes of a section. Values are compared as they are written.
 */
public final class SteppedPrefix implements PromptReader, CompactBytes.Receiver {
  private static final int NOWHERE = -1;

  private final List<String> names;
  private final ToLongFunction<@Nullable String> minimumTokens;
  private final ToLongFunction<String> quarterTokens;
  private final CompactBytes compactBytes = new CompactBytes(this, 1);
  private ContentHash hash = new ContentHash(HashKey.OF_PROCESS);
  private final @Nullable SteppedSection[] sections;
  private @Nullable SteppedSection open;
  private int section;
  private long nextStep;

  /**
   * @param minimumTokens returns the smallest prompt that the provider caches for a model
   * @param quarterTokens returns the estimated size so far of the section with a name, in quarters
   *     of a token
   * @param names the members that are part of the prompt, in the order of the provider; at most one
   *     of several names for the same is in a body, so they can stand beside each other
   */
  public SteppedPrefix(
      ToLongFunction<@Nullable String> minimumTokens,
      ToLongFunction<String> quarterTokens,
      String... names) {
    this.minimumTokens = minimumTokens;
    this.quarterTokens = quarterTokens;
    this.names = List.of(names);
    this.sections = new @Nullable SteppedSection[names.length];
  }

  @Override
  public void begin(HashKey key) {
    hash = new ContentHash(key);
  }

  @Override
  public CompactBytes compactBytes() {
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
    section = found;
    open = new SteppedSection();
    sections[section] = open;
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

  @Override
  public void open(JsonWalk at, boolean array) {
    passed();
  }

  private void passed() {
    long length = hash.length() + compactBytes.pending();
    if (length >= nextStep) {
      compactBytes.flush();
    }
    if (open != null && open.hasUnsized()) {
      open.size(length, size());
    }
  }

  @Override
  public void close(JsonWalk at) {
    passed();
    if (open != null && at.depth() == 1) {
      compactBytes.flush();
      open.end(hash.value(), size());
      open = null;
    }
  }

  @Override
  public void scalar(JsonWalk at) {
    if (open != null && at.depth() == 1 && at.isNull()) {
      sections[section] = null;
      open = null;
    }
    close(at);
  }

  private long size() {
    return quarterTokens.applyAsLong(names.get(section));
  }

  @Override
  public PromptPrefix prefix(@Nullable String model) {
    return SteppedSection.join(hash, Arrays.asList(sections), minimumTokens.applyAsLong(model));
  }
}
