package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;

/**
 * The text of the answers, encoded once: words of a small story, one for each token, or a document.
 * It is as it stands within a string of JSON.
 */
final class MockText {
  private static final List<String> WORDS =
      List.of(
          ("Water waits behind the gate until the channel below has room. The keeper looks at the"
                  + " level, lifts the board a hand's breadth, and lets through what the wheel can"
                  + " take. Nothing spills, nothing is turned away, and whoever came first goes"
                  + " first. When the pond is low he closes it and listens to the stream.")
              .split(" "));

  private static final int CHARS_PER_TOKEN = 4;

  private final byte[] text;

  /** Ends of the first k words in {@link #text}. */
  private final int[] ends;

  private MockText(byte[] text, int[] ends) {
    this.text = text;
    this.ends = ends;
  }

  /** Returns a text in ASCII as it stands within a string of JSON; four characters are a token. */
  static MockText within(String ascii) {
    StringBuilder escaped = new StringBuilder(ascii.length() * 2);
    int[] ends = new int[tokensWithin(ascii) + 1];
    for (int token = 0; token < ends.length - 1; token++) {
      int from = token * CHARS_PER_TOKEN;
      String piece = ascii.substring(from, Math.min(ascii.length(), from + CHARS_PER_TOKEN));
      escaped.append(piece.replace("\\", "\\\\").replace("\"", "\\\""));
      ends[token + 1] = escaped.length();
    }
    return new MockText(escaped.toString().getBytes(US_ASCII), ends);
  }

  /** Returns the number of tokens of a text in ASCII. */
  static int tokensWithin(String ascii) {
    return Math.ceilDiv(ascii.length(), CHARS_PER_TOKEN);
  }

  MockText(int tokens) {
    StringBuilder story = new StringBuilder(tokens * 6);
    ends = new int[tokens + 1];
    for (int token = 0; token < tokens; token++) {
      story.append(token == 0 ? "" : " ").append(WORDS.get(token % WORDS.size()));
      ends[token + 1] = story.length();
    }
    text = story.toString().getBytes(US_ASCII);
  }

  /** Appends the tokens after the first {@code from} up to the first {@code to}. */
  void append(MockBytes out, int from, int to) {
    out.put(text, ends[from], ends[to] - ends[from]);
  }
}
