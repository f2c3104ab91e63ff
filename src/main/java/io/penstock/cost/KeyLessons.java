package io.penstock.cost;

/**
 * Lessons of one model's answers to one key: ratios of counted to estimated text, and lengths of
 * answers. Safe from any thread.
 */
final class KeyLessons {
  private final TextRatio byRule = new TextRatio();
  private final TextRatio byTokenizer = new TextRatio();
  private final OutputLengthsBySize outputs = new OutputLengthsBySize();

  /** Returns the ratio for text that was counted as that of a request was. */
  TextRatio ratio(RequestContent content) {
    return content.tokenized() ? byTokenizer : byRule;
  }

  /** Returns the lengths of its answers. */
  OutputLengthsBySize outputs() {
    return outputs;
  }
}
