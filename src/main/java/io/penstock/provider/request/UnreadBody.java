package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import java.nio.ByteBuffer;

/** Reader for a request body that the dialect does not read. */
public final class UnreadBody implements RequestReader {
  private final Cost cost;

  public UnreadBody(Cost cost) {
    this.cost = cost;
  }

  @Override
  public void feed(ByteBuffer bytes) {
    bytes.position(bytes.limit());
  }

  @Override
  public WeighedRequest finish() {
    return new WeighedRequest.Request(
        new RequestContent(null, cost.inputTokens(), 0, RequestContent.UNSTATED, 1, false),
        cost,
        false,
        null);
  }
}
