package io.penstock.prefix;

/**
 * One section of a prompt, such as its tools, as far as it matters to a cache. Sections are read in
 * the order of the body, and put together in the order of the provider.
 */
public sealed interface PrefixSection permits MarkedSection, SteppedSection {
  /**
   * Ends the section.
   *
   * @param hash the hash of all of it
   * @param quarterTokens its estimated size in quarters of a token, which is its bytes of text
   */
  void end(long hash, long quarterTokens);
}
