package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import java.util.Set;

/** Reads a request for messages to estimate its cost. */
public final class AnthropicMessages implements RequestVisitor {
  private static final Set<String> TEXT = Set.of("content", "text", "thinking", "title", "context");

  private final StatedParameters parameters = new StatedParameters(false, "max_tokens");
  private final ContentText messages = new ContentText(AttachmentTokens.ANTHROPIC, TEXT, Set.of());
  private final ContentText system = new ContentText(AttachmentTokens.ANTHROPIC, TEXT, Set.of());
  private final JsonText tools = new JsonText();
  private final MarkedPrefix prefix = new MarkedPrefix(this::quarterTokens);

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
    prefix.open(at, array);
  }

  @Override
  public void close(JsonWalk at) {
    String top = at.name(1);
    if ("messages".equals(top)) {
      messages.close(at);
    } else if ("system".equals(top)) {
      system.close(at);
    }
    prefix.close(at);
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
    prefix.scalar(at);
  }

  /** Returns the estimated size of a member so far, in quarters of a token: its bytes of text. */
  private long quarterTokens(String top) {
    return switch (top) {
      case "messages" -> messages.textBytes() + TokenEstimate.bytes(otherTokens(messages));
      case "system" -> system.textBytes() + TokenEstimate.bytes(system.attachmentTokens());
      case "tools" -> tools.textBytes();
      default -> 0;
    };
  }

  private static long otherTokens(ContentText messages) {
    return messages.messages() * TokenEstimate.TOKENS_A_MESSAGE + messages.attachmentTokens();
  }

  @Override
  public CompactBytes compactBytes() {
    return prefix.compactBytes();
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers("messages", "system", "tools");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    long text = messages.textBytes() + system.textBytes() + tools.textBytes();
    long other = otherTokens(messages) + system.attachmentTokens();
    WeighedRequest weighed = parameters.weigh(TokenEstimate.tokens(text), other, true, reading);
    return weighed instanceof WeighedRequest.Request request
        ? request.with(prefix.prefix(request.model()))
        : weighed;
  }
}
