package io.penstock.provider.request;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.prefix.Boundary;
import io.penstock.prefix.PromptPrefix;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** Reads bodies for the beginnings of their prompts. */
final class PrefixCases {
  static final String CHAT = "/v1/chat/completions";
  static final String RESPONSES = "/v1/responses";
  static final String MESSAGES = "/v1/messages";
  static final String MARK = "\"cache_control\":{\"type\":\"ephemeral\"}";

  private PrefixCases() {}

  static WeighedRequest.Request request(Dialect dialect, String path, String body) {
    WeighedRequest weighed = Cases.weigh(dialect, path, Cases.bytes(body));
    if (weighed instanceof WeighedRequest.Request request) {
      return request;
    }
    throw new AssertionError("expected a request, was " + weighed);
  }

  static List<Boundary> boundaries(Dialect dialect, String path, String body) {
    return request(dialect, path, body).prefix().boundaries();
  }

  static List<Boundary> messages(String body) {
    return boundaries(DialectTable.ANTHROPIC, MESSAGES, body);
  }

  static List<Boundary> stored(List<Boundary> boundaries) {
    return boundaries.stream().filter(Boundary::stored).toList();
  }

  static List<Long> fingerprints(List<Boundary> boundaries) {
    return boundaries.stream().map(Boundary::fingerprint).toList();
  }

  /** Feeds a body in random pieces of at most {@code most} bytes. */
  static PromptPrefix inPieces(Dialect dialect, String path, String body, int most, Random random) {
    RequestReader reader = ProviderProtocol.of(dialect).requestReader(Cases.reading(dialect), path);
    byte[] bytes = Cases.bytes(body);
    for (int at = 0; at < bytes.length; ) {
      int to = Math.min(bytes.length, at + random.nextInt(most + 1));
      ByteBuffer piece =
          random.nextBoolean()
              ? ByteBuffer.wrap(bytes, at, to - at)
              : ByteBuffer.allocateDirect(to - at).put(bytes, at, to - at).flip();
      reader.feed(piece);
      at = to;
    }
    if (reader.finish() instanceof WeighedRequest.Request request) {
      return request.prefix();
    }
    throw new AssertionError("expected a request for " + body);
  }

  /** Returns the same JSON with white space at random places between its tokens. */
  static String spaced(String json, Random random) {
    StringBuilder spaced = new StringBuilder();
    boolean inString = false;
    for (int i = 0; i < json.length(); i++) {
      char each = json.charAt(i);
      if (inString) {
        spaced.append(each);
        if (each == '\\') {
          spaced.append(json.charAt(++i));
        } else if (each == '"') {
          inString = false;
        }
        continue;
      }
      inString = each == '"';
      boolean structural = "{}[],:".indexOf(each) >= 0;
      if (structural) {
        spaced.append(" \n\t ", 0, random.nextInt(4));
      }
      spaced.append(each);
      if (structural) {
        spaced.append("\r\n  ", 0, random.nextInt(4));
      }
    }
    return spaced.toString();
  }

  /** Returns {@code bytes} characters of text that begin with {@code start}. */
  static String text(String start, int bytes) {
    return (start + " " + "The mill stands by the river. ".repeat(bytes / 30 + 1))
        .substring(0, bytes);
  }
}
