package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a call of a deployment as a call of OpenAI. The deployment is the model; a model in the
 * body is ignored.
 */
public final class AzureBody implements RequestVisitor {
  private final String deployment;
  private final RequestVisitor visitor;

  public AzureBody(String deployment, RequestVisitor visitor) {
    this.deployment = deployment;
    this.visitor = visitor;
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    if (!isModel(at)) {
      visitor.open(at, array);
    }
  }

  @Override
  public void close(JsonWalk at) {
    if (!isModel(at)) {
      visitor.close(at);
    }
  }

  @Override
  public void scalar(JsonWalk at) {
    if (!isModel(at)) {
      visitor.scalar(at);
    }
  }

  private static boolean isModel(JsonWalk at) {
    return "model".equals(at.name(1));
  }

  @Override
  public List<String> singleMembers() {
    return visitor.singleMembers();
  }

  @Override
  public @Nullable CompactBytes compactBytes() {
    return visitor.compactBytes();
  }

  @Override
  public @Nullable MaximumPlaces maximumPlaces() {
    return visitor.maximumPlaces();
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    JsonWalk walk = JsonWalk.ofRequest(new Named());
    walk.feed(
        ByteBuffer.wrap(
            JsonMapper.shared()
                .writeValueAsBytes(
                    JsonMapper.shared().createObjectNode().put("model", deployment))));
    walk.end();
    return switch (visitor.weigh(reading)) {
      case WeighedRequest.Malformed malformed -> malformed;
      case WeighedRequest.Request request ->
          new WeighedRequest.Request(
              request.content(),
              request.cost(),
              request.stream(),
              request.user(),
              request.text(),
              request.spots().withoutModel(),
              request.traits(),
              request.prefix());
    };
  }

  /**
   * Presents the deployment to the visitor as if it were the member with the model's name in the
   * body.
   */
  private final class Named implements JsonWalk.Visitor {
    @Override
    public void open(JsonWalk at, boolean array) {}

    @Override
    public void close(JsonWalk at) {}

    @Override
    public void scalar(JsonWalk at) {
      visitor.scalar(at);
    }
  }
}
