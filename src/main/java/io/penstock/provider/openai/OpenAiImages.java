package io.penstock.provider.openai;

import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.provider.request.BodyMember;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.PlainText;
import io.penstock.provider.request.StatedCount;
import io.penstock.provider.request.WeighedRequest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request for images to estimate its cost. An image counts for the output tokens that cost
 * as much as it does, at 40 dollars for a million of them, the price of the GPT image models. Where
 * the answer does not state the usage, that stands. Source: OpenAI's guide to image generation and
 * its price list.
 */
final class OpenAiImages extends BodyMembers {
  private static final int LONGEST_WORD = 32;
  private static final int MOST_PARTS = 100;

  /** Tokens that an image counts for which the stream shows before it is complete. */
  private static final long TOKENS_A_PART = 100;

  private final StatedCount parts = new StatedCount("partial_images", 0, MOST_PARTS);
  private final Word size = new Word();
  private final Word quality = new Word();

  OpenAiImages() {
    answers("n")
        .user("user", null)
        .counts(new PlainText(null), "prompt")
        .states(size, "size")
        .states(quality, "quality")
        .states(parts, "partial_images")
        .modelIsOptional();
  }

  /** A member with a short word, in lower case; empty if it is none. */
  private static final class Word implements BodyMember {
    private String word = "";

    @Override
    public void scalar(JsonWalk at) {
      if (at.depth() == 1) {
        word = at.isString() && at.isAtMost(LONGEST_WORD) ? at.text().toLowerCase(Locale.ROOT) : "";
      }
    }
  }

  @Override
  protected WeighedRequest weigh(EndpointSpec.Reading reading) {
    return switch (super.weigh(reading)) {
      case WeighedRequest.Malformed malformed -> malformed;
      case WeighedRequest.Request request -> {
        RequestContent read = request.content();
        long each = tokensAnImage(read.model()) + Math.max(0, parts.value()) * TOKENS_A_PART;
        RequestContent content = read.producing(each);
        yield request.costing(content, content.expected(each));
      }
    };
  }

  @Override
  protected WeighedRequest.Traits traits() {
    return new WeighedRequest.Traits(true, null, null);
  }

  /**
   * Returns the tokens that one image counts for; what the request leaves to the provider, or what
   * is not known, is taken for the dearest.
   */
  private long tokensAnImage(@Nullable String model) {
    String name = model == null ? "" : model.toLowerCase(Locale.ROOT);
    if (name.endsWith("dall-e-2")) {
      return switch (size.word) {
        case "256x256" -> 400;
        case "512x512" -> 450;
        default -> 500;
      };
    }
    boolean square = size.word.equals("1024x1024");
    if (name.endsWith("dall-e-3")) {
      // without a size it is a square
      boolean dear = !square && !size.word.isEmpty();
      return quality.word.equals("hd") ? (dear ? 3_000 : 2_000) : (dear ? 2_000 : 1_000);
    }
    return switch (quality.word) {
      case "low" -> square ? 272 : 408;
      case "medium" -> square ? 1_056 : 1_584;
      default -> square ? 4_160 : 6_240;
    };
  }
}
