package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import java.util.Set;

/** Reads a request for messages to estimate its cost. */
public final class AnthropicMessages implements RequestVisitor {
  /**
   * Tokens that an image or a document counts for: those of the largest image that is not scaled
   * down. Source: Anthropic's guide to vision, width × height ÷ 750.
   */
  static final long TOKENS_AN_ATTACHMENT = 1_600;

  private static final Set<String> TEXT = Set.of("content", "text", "thinking", "title", "context");

  private final StatedParameters parameters = new StatedParameters(false, "max_tokens");
  private final ContentText messages = new ContentText(TEXT, Set.of());
  private final ContentText system = new ContentText(TEXT, Set.of());
  private final JsonText tools = new JsonText();

  @Override
  public void open(JsonWalk at, boolean array) {
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "messages" -> messages.open(at, array);
      case "system" -> system.open(at, array);
      case "tools" -> tools.open(at);
      case "metadata" -> {
        if (at.depth() == 1) {
          parameters.noUser();
        }
      }
      default -> {
        if (at.depth() == 1) {
          parameters.open(top);
        }
      }
    }
  }

  @Override
  public void close(JsonWalk at) {
    String top = at.name(1);
    if ("messages".equals(top)) {
      messages.close(at);
    } else if ("system".equals(top)) {
      system.close(at);
    }
  }

  @Override
  public void scalar(JsonWalk at) {
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "messages" -> messages.scalar(at);
      case "system" -> system.scalar(at);
      case "tools" -> tools.scalar(at);
      case "metadata" -> {
        if (at.depth() == 2 && "user_id".equals(at.name())) {
          parameters.user(at);
        }
      }
      default -> parameters.scalar(at, top);
    }
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers("messages", "system", "tools");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    long text = messages.textBytes() + system.textBytes() + tools.textBytes();
    long other =
        messages.messages() * TokenEstimate.TOKENS_A_MESSAGE
            + (messages.attachments() + system.attachments()) * TOKENS_AN_ATTACHMENT;
    return parameters.weigh(TokenEstimate.tokens(text), other, true, reading);
  }
}
