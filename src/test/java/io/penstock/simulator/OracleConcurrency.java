package io.penstock.simulator;

import io.penstock.limit.LimitSpec;

/** A limit of concurrency: only running requests count. */
final class OracleConcurrency extends OracleLimit {
  private LimitSpec.Concurrency spec;
  private long running;

  OracleConcurrency(LimitSpec.Concurrency spec) {
    this.spec = spec;
  }

  @Override
  LimitSpec spec() {
    return spec;
  }

  @Override
  long capacity() {
    return spec.max();
  }

  @Override
  long free(long now) {
    return Math.max(0, spec.max() - running);
  }

  @Override
  long take(long taken, long reserved, long now) {
    if (running + reserved > spec.max()) {
      throw new InvariantViolation("%d run, %d may".formatted(running + reserved, spec.max()));
    }
    running += reserved;
    return 0;
  }

  @Override
  void give(long cell, long taken, long reserved, long now) {
    running -= reserved;
  }

  @Override
  long charge(long amount, long released, long now) {
    throw new InvariantViolation("what runs is charged " + amount);
  }

  @Override
  void resize(LimitSpec next, long now) {
    spec = (LimitSpec.Concurrency) next;
  }

  @Override
  long held() {
    return running;
  }

  @Override
  long subCell() {
    return Long.MAX_VALUE;
  }
}
