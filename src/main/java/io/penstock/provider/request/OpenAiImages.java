package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request for images to estimate its cost. An image counts for the output tokens that cost
 * as much as it does, at 40 dollars for a million of them, the price of the GPT image models. Where
 * the answer does not state the usage, that stands. Source: OpenAI's guide to image generation and
 * its price list.
 */
public final class OpenAiImages implements RequestVisitor {
  private static final String PROMPT = "prompt";
  private static final int LONGEST_WORD = 32;
  private static final int MOST_PARTS = 100;

  /** Tokens that an image counts for which the stream shows before it is complete. */
  private static final long TOKENS_A_PART = 100;

  private final StatedParameters parameters = new StatedParameters(true);
  private final StatedCount parts = new StatedCount("partial_images", 0, MOST_PARTS);
  private long promptBytes;
  private String size = "";
  private String quality = "";

  @Override
  public void open(JsonWalk at, boolean array) {
    parameters.open(at);
  }

  @Override
  public void close(JsonWalk at) {}

  @Override
  public void scalar(JsonWalk at) {
    String name = at.name(1);
    if (name == null) {
      return;
    }
    if (at.depth() != 1) {
      parameters.scalar(at, name);
      return;
    }
    switch (name) {
      case PROMPT -> promptBytes = at.isString() ? at.utf8Bytes() : 0;
      case "size" -> size = word(at);
      case "quality" -> quality = word(at);
      case "partial_images" -> parts.read(at);
      case "user" -> parameters.user(at);
      default -> parameters.scalar(at, name);
    }
  }

  private static String word(JsonWalk at) {
    return at.isString() && at.isAtMost(LONGEST_WORD) ? at.text().toLowerCase(Locale.ROOT) : "";
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers(PROMPT, "size", "quality", "partial_images");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    parameters.modelNotNeeded();
    if (parts.fault() != null) {
      return new WeighedRequest.Malformed(parts.fault());
    }
    return switch (parameters.weigh(TokenEstimate.tokens(promptBytes), 0, true, reading)) {
      case WeighedRequest.Malformed malformed -> malformed;
      case WeighedRequest.Request request -> {
        RequestContent read = request.content();
        long each = tokensAnImage(read.model()) + Math.max(0, parts.value()) * TOKENS_A_PART;
        RequestContent content = read.stating(each);
        Cost cost = content.expected(each);
        yield new WeighedRequest.Request(
            content,
            cost,
            request.stream(),
            request.user(),
            request.text(),
            request.spots(),
            new WeighedRequest.Traits(true, null).naming(request.traits().furtherModels()));
      }
    };
  }

  /**
   * Returns the tokens that one image counts for; what the request leaves to the provider, or what
   * is not known, is taken for the dearest.
   */
  private long tokensAnImage(@Nullable String model) {
    String name = model == null ? "" : model.toLowerCase(Locale.ROOT);
    if (name.endsWith("dall-e-2")) {
      return switch (size) {
        case "256x256" -> 400;
        case "512x512" -> 450;
        default -> 500;
      };
    }
    boolean square = size.equals("1024x1024");
    if (name.endsWith("dall-e-3")) {
      // without a size it is a square
      boolean dear = !square && !size.isEmpty();
      return quality.equals("hd") ? (dear ? 3_000 : 2_000) : (dear ? 2_000 : 1_000);
    }
    return switch (quality) {
      case "low" -> square ? 272 : 408;
      case "medium" -> square ? 1_056 : 1_584;
      default -> square ? 4_160 : 6_240;
    };
  }
}
