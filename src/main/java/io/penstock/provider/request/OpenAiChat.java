package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import io.penstock.prefix.CacheMinimum;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import java.util.Set;

/** Reads a request for chat completions to estimate its cost. */
public final class OpenAiChat implements RequestVisitor {
  private final StatedParameters parameters =
      new StatedParameters(true, "max_completion_tokens", "max_tokens");
  private final MaximumPlaces places = MaximumPlaces.ofBody("max_completion_tokens", "max_tokens");
  private final AskedUsage askedUsage = new AskedUsage();
  private final KeptText kept = new KeptText();
  private final ContentText messages =
      new ContentText(
          AttachmentTokens.OPENAI,
          Set.of("content", "text", "refusal", "reasoning_content", "arguments", "input"),
          Set.of("image_url", "input_audio", "file"),
          Set.of("input"),
          kept.part());
  private final JsonText tools = new JsonText(kept.part());
  private final JsonText functions = new JsonText(kept.part());
  private final JsonText responseFormat = new JsonText(kept.part());
  private final SteppedPrefix prefix =
      new SteppedPrefix(this::quarterTokens, "tools", "functions", "response_format", "messages");

  @Override
  public void open(JsonWalk at, boolean array) {
    askedUsage.open(at);
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "messages" -> messages.open(at, array);
      case "tools" -> tools.open(at);
      case "functions" -> functions.open(at);
      case "response_format" -> responseFormat.open(at);
      default -> {
        if (at.depth() == 1) {
          parameters.open(top);
        }
      }
    }
    prefix.open();
  }

  @Override
  public void close(JsonWalk at) {
    askedUsage.close(at);
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "messages" -> messages.close(at);
      case "tools" -> tools.close(at);
      case "functions" -> functions.close(at);
      case "response_format" -> responseFormat.close(at);
      default -> {}
    }
    prefix.close(at);
  }

  @Override
  public void scalar(JsonWalk at) {
    askedUsage.scalar(at);
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "messages" -> messages.scalar(at);
      case "tools" -> tools.scalar(at);
      case "functions" -> functions.scalar(at);
      case "response_format" -> responseFormat.scalar(at);
      case "user" -> {
        if (at.depth() == 1) {
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
      case "messages" -> messages.textBytes() + TokenEstimate.bytes(otherTokens());
      case "tools" -> tools.textBytes();
      case "functions" -> functions.textBytes();
      case "response_format" -> responseFormat.textBytes();
      default -> 0;
    };
  }

  private long otherTokens() {
    return messages.messages() * TokenEstimate.TOKENS_A_MESSAGE + messages.attachmentTokens();
  }

  @Override
  public CompactBytes compactBytes() {
    return prefix.compactBytes();
  }

  @Override
  public MaximumPlaces maximumPlaces() {
    return places;
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers("messages", "tools", "functions", "response_format");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    long text =
        messages.textBytes()
            + tools.textBytes()
            + functions.textBytes()
            + responseFormat.textBytes();
    WeighedRequest weighed =
        parameters.weigh(
            new StatedParameters.Found(
                TokenEstimate.tokens(text),
                otherTokens(),
                1,
                true,
                kept.whole(),
                askedUsage.edit(),
                WeighedRequest.Traits.NONE),
            reading);
    return weighed instanceof WeighedRequest.Request request
        ? request.with(prefix.prefix(CacheMinimum.OPENAI_TOKENS))
        : weighed;
  }
}
