package io.penstock.provider.answer;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.json.JsonWalk;
import io.penstock.provider.request.StatedModel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the usage that one answer states. A usage block takes effect when it is complete, so
 * half a block counts for nothing. The latest input of several blocks counts, and the largest
 * output, because providers state the output as a running total.
 */
public final class UsageMeter {
  // the figures that a block may state
  public static final int INPUT = 0;
  public static final int CACHE_READ = 1;
  public static final int CACHE_WRITE = 2;
  public static final int CACHE_WRITE_SHORT = 3;
  public static final int CACHE_WRITE_HOUR = 4;
  public static final int OUTPUT = 5;
  public static final int REASONING = 6;
  public static final int TOTAL = 7;

  /** Input that is stated beside the rest of it. */
  public static final int INPUT_APART = 8;

  private static final int FIGURES = 9;

  /** Value of a figure that is not stated. */
  public static final long UNSTATED = -1;

  private final boolean usuallyHoldsCache;
  private final long[] stated = new long[FIGURES];
  private final long[] block = new long[FIGURES];

  /** Figures of one part of the block, and the sums of all its parts; null where there are none. */
  private long @Nullable [] part;

  private long @Nullable [] sums;
  private int blockParts;
  private int parts;
  private boolean namedWithCache;
  private boolean namedApart;
  private boolean inputHoldsCache;
  private long document;
  private long statedIn = UNSTATED;
  private long textIn = UNSTATED;
  private long textBytes;
  private boolean outputComplete;
  private @Nullable String model;
  private @Nullable String warning;

  /**
   * @param usuallyHoldsCache whether the provider's input figure includes tokens read from and
   *     written to its cache, or those are added to it, unless the names of a block tell
   */
  public UsageMeter(boolean usuallyHoldsCache) {
    this.usuallyHoldsCache = usuallyHoldsCache;
    this.inputHoldsCache = usuallyHoldsCache;
    Arrays.fill(stated, UNSTATED);
    Arrays.fill(block, UNSTATED);
  }

  /** Ends a part of the answer, such as an event; another one may begin. */
  void endDocument(JsonWalk walk, String part) {
    walk.end();
    String fault = walk.fault();
    if (fault != null) {
      warn(part + " cannot be read: " + fault);
    }
    walk.restart();
    document++;
  }

  /** Counts {@code utf8Bytes} of output text. */
  public void text(long utf8Bytes) {
    textBytes += utf8Bytes;
    textIn = utf8Bytes > 0 ? document : textIn;
  }

  /** Sets the model's name to the current value of the walk, unless it is already set. */
  void model(JsonWalk at) {
    if (model == null && at.isString() && at.isAtMost(StatedModel.MAX_LENGTH)) {
      String name = at.text();
      model = name.isBlank() ? null : name;
    }
  }

  /** Records an oddity if it is the first; {@code what} must not contain content of the answer. */
  public void warn(String what) {
    if (warning == null) {
      warning = what;
    }
  }

  public void beginBlock() {
    Arrays.fill(block, UNSTATED);
    part = null;
    sums = null;
    blockParts = 0;
    namedWithCache = false;
    namedApart = false;
  }

  /** Begins a part of the current block, such as one of several calls of a model. */
  void beginPart() {
    part = new long[FIGURES];
    Arrays.fill(part, UNSTATED);
    blockParts++;
  }

  /** Ends a part of the current block: the sums of all parts count where they are larger. */
  void endPart() {
    long[] ended = part;
    if (ended == null) {
      return;
    }
    part = null;
    long[] before = sums;
    if (before == null) {
      sums = ended;
      return;
    }
    for (int i = 0; i < FIGURES; i++) {
      before[i] = sum(before[i], ended[i]);
    }
  }

  /** Returns the sum of those of two figures that are stated. */
  private static long sum(long one, long other) {
    return one == UNSTATED || other == UNSTATED
        ? Math.max(one, other)
        : Math.min(one + other, Cost.MAX_TOKENS);
  }

  /** Returns how many calls of a model the usage consists of, ≥ 1. */
  int parts() {
    return Math.max(1, parts);
  }

  /**
   * Notes that the input of the current block includes what was read from or written to a cache.
   */
  void inputHoldsCache() {
    namedWithCache = true;
  }

  /**
   * Notes that the current block states cache reads or writes as its provider does beside input.
   */
  void cacheIsApart() {
    namedApart = true;
  }

  /** Returns whether any block has stated the input. */
  public boolean hasInput() {
    return stated[INPUT] != UNSTATED;
  }

  /** Sets a figure of the current block to the current value of the walk. */
  public void figure(int figure, JsonWalk at) {
    figure(figure, tokens(at));
  }

  /**
   * Sets a figure of the current block, unless the value is {@link #UNSTATED}. The largest counts
   * where one is stated under several names: servers state zero under those that they do not use.
   */
  public void figure(int figure, long tokens) {
    long[] into = part == null ? block : part;
    into[figure] = Math.max(into[figure], tokens);
  }

  /**
   * Returns the current value of the walk, or {@link #UNSTATED} if it is null or not a token count.
   */
  public long tokens(JsonWalk at) {
    if (at.isNull()) {
      return UNSTATED;
    }
    long tokens = at.wholeInAnyForm();
    if (tokens == JsonWalk.NOT_WHOLE) {
      warn("a token count in the usage is not a whole number");
    } else if (tokens == JsonWalk.NEGATIVE) {
      warn("a token count in the usage is negative");
    } else if (tokens == JsonWalk.TOO_LARGE) {
      warn("a token count in the usage is above " + Cost.MAX_TOKENS);
    } else {
      return tokens;
    }
    return UNSTATED;
  }

  /**
   * Applies the current block.
   *
   * @param atEnd whether its output figure covers the whole answer
   */
  public void endBlock(boolean atEnd) {
    long[] summed = sums;
    for (int i = 0; i < FIGURES && summed != null; i++) {
      block[i] = Math.max(block[i], summed[i]);
    }
    parts = Math.max(parts, blockParts);
    complete();
    // a block that repeats the input as zero has not counted it
    boolean input = stated[INPUT] == UNSTATED;
    for (int i = 0; i < OUTPUT; i++) {
      input |= block[i] > 0;
    }
    for (int i = 0; i < OUTPUT && input; i++) {
      stated[i] = block[i] == UNSTATED ? stated[i] : block[i];
    }
    if (block[OUTPUT] != UNSTATED) {
      if (block[OUTPUT] < stated[OUTPUT]) {
        warn("the output tokens in the usage fell");
      }
      stated[OUTPUT] = Math.max(stated[OUTPUT], block[OUTPUT]);
      statedIn = atEnd ? document : statedIn;
    }
    stated[REASONING] = Math.max(stated[REASONING], block[REASONING]);
    contradictions();
  }

  /**
   * Completes the current block from its total, and by figures that cannot be parts of others. Some
   * servers do not count reasoning as output, or the cache as input, and some state only a total.
   */
  private void complete() {
    if (block[INPUT] != UNSTATED) {
      inputHoldsCache = namedWithCache || (usuallyHoldsCache && !namedApart);
    }
    long total = block[TOTAL];
    long output = Math.max(0, block[OUTPUT]);
    if (block[INPUT] == UNSTATED && total != UNSTATED) {
      block[INPUT] = Math.max(0, total - Math.max(output, textTokens()));
    } else if (total != UNSTATED) {
      long cached = Math.max(0, block[CACHE_READ]) + Math.max(0, block[CACHE_WRITE]);
      long more = total - block[INPUT] - output - (inputHoldsCache ? 0 : cached);
      if (more == cached && cached > 0) {
        inputHoldsCache = false;
      } else if (more > 0) {
        block[OUTPUT] = output + more;
      } else if (more < 0 && total < block[INPUT] + output) {
        warn("the usage states a total below its parts");
      }
    }
    if (block[REASONING] > Math.max(0, block[OUTPUT])) {
      block[OUTPUT] = sum(block[OUTPUT], block[REASONING]);
    }
    if (block[INPUT] != UNSTATED) {
      block[INPUT] = sum(block[INPUT], block[INPUT_APART]);
    }
  }

  private void contradictions() {
    if (inputHoldsCache && figure(CACHE_READ) + written() > figure(INPUT)) {
      warn("the usage states more cached input than input");
    }
    if (!writesAddUp()) {
      warn("the lifetimes in the usage do not add up to what was written to the cache");
    }
  }

  private long figure(int figure) {
    return Math.max(0, stated[figure]);
  }

  /**
   * Returns what was written to the cache; what its lifetimes add up to where only they are stated.
   */
  private long written() {
    return stated[CACHE_WRITE] == UNSTATED
        ? figure(CACHE_WRITE_SHORT) + figure(CACHE_WRITE_HOUR)
        : figure(CACHE_WRITE);
  }

  private boolean writesAddUp() {
    boolean apart = stated[CACHE_WRITE_SHORT] != UNSTATED || stated[CACHE_WRITE_HOUR] != UNSTATED;
    return !apart || figure(CACHE_WRITE_SHORT) + figure(CACHE_WRITE_HOUR) == written();
  }

  /** Records that no more output comes. */
  public void completeOutput() {
    outputComplete = true;
  }

  boolean isOutputComplete() {
    return outputComplete;
  }

  long producedTokens() {
    return Math.max(figure(OUTPUT), textTokens());
  }

  long textTokens() {
    return Math.ceilDiv(textBytes, 4L);
  }

  @Nullable TokenUsage usage() {
    if (stated[INPUT] == UNSTATED) {
      return null;
    }
    long input = figure(INPUT);
    long read = figure(CACHE_READ);
    long write = written();
    // lifetimes that contradict the sum count as the short one, which every write has at least
    long hour = writesAddUp() ? figure(CACHE_WRITE_HOUR) : 0;
    if (!inputHoldsCache) {
      input += read + write;
    } else if (read + write > input) {
      read = 0;
      write = 0;
      hour = 0;
    }
    // a usage statement does not cover output that came in a later event
    boolean whole = statedIn != UNSTATED && textIn <= statedIn;
    long output = whole ? figure(OUTPUT) : producedTokens();
    return new TokenUsage(input, read, write, hour, output, Math.min(figure(REASONING), output));
  }

  @Nullable String model() {
    return model;
  }

  @Nullable String warning() {
    return warning;
  }
}
