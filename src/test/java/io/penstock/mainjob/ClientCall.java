package io.penstock.mainjob;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * One call of a client.
 *
 * @param inputTokens as the provider will count them
 * @param maxTokens the stated output maximum of each answer
 * @param answers number of answers that are asked for
 */
public record ClientCall(Kind kind, int inputTokens, int maxTokens, int answers, boolean stream) {
  public enum Kind {
    CHAT,
    EMBEDDING,
    MESSAGE
  }

  private static final int LEAST = 180;
  private static final int MOST = 1_400;

  /** Returns the tokens that OpenAI charges. */
  long stated() {
    return Math.max((long) maxTokens * answers, inputTokens);
  }

  long total() {
    return inputTokens + (long) maxTokens * answers;
  }

  /** Returns sizes that are evenly spread from least to most, in random order. */
  private static List<Integer> sizes(int count, Random random) {
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sizes.add(LEAST + (MOST - LEAST) * i / Math.max(1, count - 1));
    }
    Collections.shuffle(sizes, random);
    return sizes;
  }

  /** Returns chats for which OpenAI charges 180 to 1,400 tokens each. */
  public static List<ClientCall> chats(int count, Random random) {
    List<ClientCall> calls = new ArrayList<>();
    List<Integer> sizes = sizes(count, random);
    for (int i = 0; i < count; i++) {
      int size = sizes.get(i);
      calls.add(
          switch (i % 8) {
            case 6 -> new ClientCall(Kind.CHAT, 20, size / 2, 2, random.nextBoolean());
            case 7 -> new ClientCall(Kind.CHAT, size, 50, 1, random.nextBoolean());
            default -> new ClientCall(Kind.CHAT, 20 + i % 40, size, 1, random.nextBoolean());
          });
    }
    return calls;
  }

  /** Returns messages with 180 to 1,400 tokens of output each. */
  static List<ClientCall> messages(int count, Random random) {
    List<ClientCall> calls = new ArrayList<>();
    List<Integer> sizes = sizes(count, random);
    for (int i = 0; i < count; i++) {
      int input = 20 + random.nextInt(400);
      calls.add(new ClientCall(Kind.MESSAGE, input, sizes.get(i), 1, random.nextBoolean()));
    }
    return calls;
  }

  /** Returns chats and embeddings of 180 to 1,400 tokens in and out together. */
  static List<ClientCall> mixed(int count, Random random) {
    List<ClientCall> calls = new ArrayList<>();
    List<Integer> sizes = sizes(count, random);
    for (int i = 0; i < count; i++) {
      int size = sizes.get(i);
      int input = 20 + random.nextInt(size - 40);
      calls.add(
          i % 4 == 3
              ? new ClientCall(Kind.EMBEDDING, size, 0, 1, false)
              : new ClientCall(Kind.CHAT, input, size - input, 1, random.nextBoolean()));
    }
    return calls;
  }
}
