package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;

/**
 * The text of the answers: words of a small story, one for each token, encoded once. It contains
 * nothing that JSON would escape.
 */
final class MockText {
  private static final List<String> WORDS =
      List.of(
          ("Water waits behind the gate until the channel below has room. The keeper looks at the"
                  + " level, lifts the board a hand's breadth, and lets through what the wheel can"
                  + " take. Nothing spills, nothing is turned away, and whoever came first goes"
                  + " first. When the pond is low he closes it and listens to the stream.")
              .split(" "));

  private final byte[] text;

  /** Ends of the first k words in {@link #text}. */
  private final int[] ends;

  MockText(int tokens) {
    StringBuilder story = new StringBuilder(tokens * 6);
    ends = new int[tokens + 1];
    for (int token = 0; token < tokens; token++) {
      story.append(token == 0 ? "" : " ").append(WORDS.get(token % WORDS.size()));
      ends[token + 1] = story.length();
    }
    text = story.toString().getBytes(US_ASCII);
  }

  /** Appends the words after the first {@code from} up to the first {@code to}. */
  void append(MockBytes out, int from, int to) {
    out.put(text, ends[from], ends[to] - ends[from]);
  }
}
