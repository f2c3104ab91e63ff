package io.penstock.mock;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Limits, cache and bill of one model at one address of the mock provider. Thread-safe. */
final class MockModel {
  private final @Nullable MockLimit limit;
  private final @Nullable PromptCache cache;
  private final LongAdder requests = new LongAdder();
  private final LongAdder uncached = new LongAdder();
  private final LongAdder read = new LongAdder();
  private final LongAdder written = new LongAdder();
  private final LongAdder writtenForHour = new LongAdder();
  private final LongAdder output = new LongAdder();

  MockModel(MockAddress address) {
    MockAddress.Limits limits = address.limits();
    boolean unlimited = limits.rpm() == 0 && limits.tpm() == 0 && limits.itpm() == 0;
    this.limit =
        unlimited
            ? null
            : new MockLimit(limits.rpm(), limits.tpm(), limits.itpm(), limits.windowNanos());
    this.cache =
        address.cache().tokens() == 0
            ? null
            : new PromptCache(address.cache().tokens(), address.cache().lifeNanos());
  }

  /** Returns what a request does with the cache, which it does once its answer begins. */
  PromptCache.Use look(MockAsk.Generate ask, long nowNanos) {
    MockPrompt prompt = ask.input().blocks();
    return cache == null || prompt == null
        ? PromptCache.Use.none(ask.input().tokens())
        : cache.look(prompt, nowNanos);
  }

  /**
   * Admits one request or refuses it.
   *
   * @param tokens what a limit of tokens is charged
   * @param inputTokens what a limit of input is charged
   */
  MockLimit.Verdict admit(long nowNanos, long tokens, long inputTokens) {
    return limit == null ? MockLimit.Verdict.UNLIMITED : limit.take(nowNanos, tokens, inputTokens);
  }

  /** Charges tokens of a running answer to the limit of tokens. */
  void charge(long nowNanos, long tokens) {
    if (limit != null) {
      limit.charge(nowNanos, tokens);
    }
  }

  /** Bills the input of a request as its answer begins. */
  void begin(PromptCache.Use use, long nowNanos) {
    requests.increment();
    uncached.add(use.uncached());
    read.add(use.read());
    written.add(use.written());
    writtenForHour.add(use.writtenForHour());
    if (cache != null) {
      cache.begin(use, nowNanos);
    }
  }

  /** Bills output that was produced. */
  void produced(long tokens) {
    output.add(tokens);
  }

  void readable(boolean readable) {
    if (cache != null) {
      cache.readable(readable);
    }
  }

  MockProvider.Bill bill() {
    return new MockProvider.Bill(
        requests.sum(),
        uncached.sum(),
        read.sum(),
        written.sum(),
        writtenForHour.sum(),
        output.sum());
  }
}
