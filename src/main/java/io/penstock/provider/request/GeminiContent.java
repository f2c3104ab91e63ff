package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.prefix.CacheMinimum;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a request for content to estimate its cost. */
public final class GeminiContent implements RequestVisitor {
  private final GeminiPath path;
  private final GeminiText contents = new GeminiText();
  private final GeminiText system = new GeminiText();
  private final JsonText tools = new JsonText();
  private final GeminiConfig config = new GeminiConfig();
  private final MaximumPlaces places =
      MaximumPlaces.within(
          List.of("generationConfig", "generation_config"),
          List.of("maxOutputTokens", "max_output_tokens"));
  private final SteppedPrefix prefix =
      new SteppedPrefix(
          this::quarterTokens, "tools", "systemInstruction", "system_instruction", "contents");

  public GeminiContent(GeminiPath path) {
    this.path = path;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    GeminiText text = text(at);
    String top = at.name(1);
    if (text != null) {
      text.open(at, array);
    } else if ("tools".equals(top)) {
      tools.open(at);
    } else if (isConfig(top)) {
      config.open(at, array);
    }
    prefix.open();
  }

  @Override
  public void close(JsonWalk at) {
    GeminiText text = text(at);
    if (text != null) {
      text.close(at);
    }
    prefix.close(at);
  }

  @Override
  public void scalar(JsonWalk at) {
    GeminiText text = text(at);
    String top = at.name(1);
    if (text != null) {
      text.scalar(at);
    } else if ("tools".equals(top)) {
      tools.scalar(at);
    } else if (isConfig(top)) {
      config.scalar(at);
    }
    prefix.scalar(at);
  }

  /** Returns the estimated size of a member so far, in quarters of a token: its bytes of text. */
  private long quarterTokens(String top) {
    return switch (top) {
      case "contents" -> contents.textBytes() + TokenEstimate.bytes(contentTokens());
      case "systemInstruction", "system_instruction" ->
          system.textBytes() + TokenEstimate.bytes(system.attachmentTokens());
      case "tools" -> tools.textBytes();
      default -> 0;
    };
  }

  private long contentTokens() {
    return contents.contents() * TokenEstimate.TOKENS_A_MESSAGE + contents.attachmentTokens();
  }

  @Override
  public CompactBytes compactBytes() {
    return prefix.compactBytes();
  }

  @Override
  public MaximumPlaces maximumPlaces() {
    return places;
  }

  private @Nullable GeminiText text(JsonWalk at) {
    String top = at.name(1);
    if (top == null) {
      return null;
    }
    return switch (top) {
      case "contents" -> contents;
      case "systemInstruction", "system_instruction" -> system;
      default -> null;
    };
  }

  private static boolean isConfig(@Nullable String top) {
    return "generationConfig".equals(top) || "generation_config".equals(top);
  }

  @Override
  public List<String> singleMembers() {
    return List.of(
        "model",
        "contents",
        "systemInstruction|system_instruction",
        "tools",
        "generationConfig|generation_config");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    String fault = path.fault() == null ? config.fault() : path.fault();
    if (fault != null) {
      return new WeighedRequest.Malformed(fault);
    }
    long text =
        contents.textBytes() + system.textBytes() + tools.textBytes() + config.schemaBytes();
    long other = contentTokens() + system.attachmentTokens();
    RequestContent requestContent =
        new RequestContent(
            path.model(),
            TokenEstimate.tokens(text),
            other,
            config.statedOutput(),
            config.answers(),
            true);
    long output = Math.clamp(reading.defaultOutputTokens(), 0, Cost.MAX_TOKENS);
    return new WeighedRequest.Request(
        requestContent,
        requestContent.expected(output),
        path.streams(),
        null,
        null,
        new WeighedRequest.Spots(-1, 0, null, config.maxima()),
        WeighedRequest.Traits.NONE,
        prefix.prefix(CacheMinimum.gemini(path.model())));
  }
}
