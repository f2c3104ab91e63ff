package io.penstock.usage;

/**
 * Tokens that keys and groups have used, whatever limits they had. A budget that one of them gets
 * later counts these. Safe from any thread.
 */
public interface UsedTokens {
  /** Knows of no use. */
  UsedTokens NONE =
      new UsedTokens() {
        @Override
        public long ofKey(String name) {
          return 0;
        }

        @Override
        public long ofGroup(String name, boolean month) {
          return 0;
        }
      };

  /** Returns the tokens that a key has used in the running UTC day, input plus output, ≥ 0. */
  long ofKey(String name);

  /**
   * Returns the tokens that a group has used, input plus output, ≥ 0.
   *
   * @param month whether to count the running UTC month, else the running UTC day
   */
  long ofGroup(String name, boolean month);
}
