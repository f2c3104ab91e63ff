package io.penstock.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The blocks of an Anthropic prompt in the order in which the provider caches them: tools, system,
 * messages.
 */
record MockPrompt(List<Block> blocks) {
  /** Most marks in a request. */
  static final int MOST_MARKS = 4;

  /** Lifetime that a mark asks for. */
  enum Life {
    FIVE_MINUTES,
    HOUR
  }

  /**
   * The end of a block, as a place up to which a prompt can be cached.
   *
   * @param prefix identifies everything from the prompt's start to this end
   * @param tokens number of tokens of the same, ≥ 0
   * @param mark the lifetime that the request asks for here, or null
   */
  record Block(String prefix, long tokens, @Nullable Life mark) {}

  MockPrompt {
    blocks = List.copyOf(blocks);
  }

  /** Returns the number of tokens of the whole prompt. */
  long tokens() {
    return blocks.isEmpty() ? 0 : blocks.getLast().tokens();
  }

  /** Returns the prompt in a body that has messages. Only valid if its marks are. */
  static MockPrompt of(JsonNode body) {
    Reader reader = new Reader();
    reader.body(body);
    return new MockPrompt(reader.blocks);
  }

  /** Returns what is wrong with the marks in a body, or null. */
  static MockAsk.@Nullable Refused fault(JsonNode body) {
    Reader reader = new Reader();
    reader.body(body);
    return reader.fault();
  }

  /** Reads one body. */
  private static final class Reader {
    private static final String MARK = "cache_control";

    private final List<Block> blocks = new ArrayList<>();
    private final MessageDigest digest = sha256();
    private long bytes;
    private long besidesText;
    private MockAsk.@Nullable Refused wrong;

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }

    void body(JsonNode body) {
      for (JsonNode tool : body.path("tools")) {
        block("tools", tool, JsonMapper.shared().writeValueAsBytes(unmarked(tool)).length);
      }
      content("system", body.path("system"));
      for (JsonNode message : body.path("messages")) {
        besidesText += MockRead.TOKENS_PER_MESSAGE;
        content(message.path("role").stringValue(""), message.path("content"));
      }
      JsonNode automatic = body.path(MARK);
      if (!MockRead.absent(automatic) && !blocks.isEmpty()) {
        Block last = blocks.removeLast();
        Life asked = life(automatic);
        blocks.add(last.mark() == null ? new Block(last.prefix(), last.tokens(), asked) : last);
      }
    }

    private void content(String where, JsonNode content) {
      if (content.isString()) {
        ObjectNode text = JsonNodeFactory.instance.objectNode();
        text.put("type", "text").put("text", content.stringValue());
        block(where, text, MockRead.textBytes(content));
      }
      if (content.isArray()) {
        for (JsonNode part : content) {
          block(where, part, MockRead.partBytes(part));
        }
      }
    }

    private void block(String where, JsonNode block, long blockBytes) {
      bytes += blockBytes;
      byte[] json = JsonMapper.shared().writeValueAsBytes(unmarked(block));
      if (!blocks.isEmpty()) {
        digest.update(blocks.getLast().prefix().getBytes(UTF_8));
      }
      digest.update(where.getBytes(UTF_8));
      digest.update(json);
      JsonNode stated = block.path(MARK);
      Life mark = MockRead.absent(stated) ? null : life(stated);
      JsonNode text = block.path("text");
      if (mark != null && text.isString() && text.stringValue().isEmpty()) {
        refuse("cache_control cannot be set for empty text blocks.");
      }
      String prefix = HexFormat.of().formatHex(digest.digest());
      blocks.add(new Block(prefix, MockRead.tokens(bytes) + besidesText, mark));
    }

    private static JsonNode unmarked(JsonNode block) {
      return block instanceof ObjectNode object && object.has(MARK)
          ? object.deepCopy().without(MARK)
          : block;
    }

    private Life life(JsonNode mark) {
      JsonNode ttl = mark.path("ttl");
      String stated = MockRead.absent(ttl) ? "5m" : ttl.asString("");
      boolean known = stated.equals("5m") || stated.equals("1h");
      if (!mark.path("type").stringValue("").equals("ephemeral") || !known) {
        refuse("cache_control: expected type ephemeral, and a ttl of 5m or 1h or none.");
      }
      return stated.equals("1h") ? Life.HOUR : Life.FIVE_MINUTES;
    }

    private void refuse(String what) {
      wrong = wrong == null ? MockAsk.Refused.bad(MARK, what) : wrong;
    }

    MockAsk.@Nullable Refused fault() {
      List<Life> marks = new ArrayList<>();
      blocks.stream().map(Block::mark).filter(mark -> mark != null).forEach(marks::add);
      if (marks.size() > MOST_MARKS) {
        refuse(
            "A maximum of %d blocks with cache_control may be provided. Found %d."
                .formatted(MOST_MARKS, marks.size()));
      }
      int last = marks.lastIndexOf(Life.HOUR);
      if (last >= 0 && marks.subList(0, last).contains(Life.FIVE_MINUTES)) {
        refuse("A cache_control block with a ttl of 1h must not come after one with a ttl of 5m.");
      }
      return wrong;
    }
  }
}
