package io.penstock.provider.request;

import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request for one or several vectors to estimate its cost: the text in the contents of all
 * its parts.
 */
public final class GeminiEmbeddings implements RequestVisitor {
  private final GeminiPath path;
  private final GeminiText content = new GeminiText();
  private final GeminiText title = new GeminiText();

  public GeminiEmbeddings(GeminiPath path) {
    this.path = path;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    GeminiText text = text(at);
    if (text != null) {
      text.open(at, array);
    }
  }

  @Override
  public void close(JsonWalk at) {
    GeminiText text = text(at);
    if (text != null) {
      text.close(at);
    }
  }

  @Override
  public void scalar(JsonWalk at) {
    GeminiText text = text(at);
    if (text != null) {
      text.scalar(at);
    }
  }

  private @Nullable GeminiText text(JsonWalk at) {
    String top = at.name(1);
    if (top == null) {
      return null;
    }
    return switch (top) {
      case "content", "requests" -> content;
      case "title" -> title;
      default -> null;
    };
  }

  @Override
  public List<String> singleMembers() {
    return List.of("model", "content", "requests", "title");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    String fault = path.fault();
    if (fault != null) {
      return new WeighedRequest.Malformed(fault);
    }
    RequestContent weighed =
        new RequestContent(
            path.model(),
            TokenEstimate.tokens(content.textBytes() + title.textBytes()),
            content.attachmentTokens(),
            RequestContent.UNSTATED,
            1,
            false);
    return new WeighedRequest.Request(weighed, weighed.expected(0), false, null);
  }
}
