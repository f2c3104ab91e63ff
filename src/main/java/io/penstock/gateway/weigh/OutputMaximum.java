package io.penstock.gateway.weigh;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.ExcessOutput;
import io.penstock.gateway.request.RequestContext;

/**
 * Lowers the stated maximum of output of a request to what fits, where the endpoint has {@code
 * max_output: cap}. Where it does not, a request that never fits is refused when it is admitted.
 */
final class OutputMaximum {
  private OutputMaximum() {}

  /**
   * Returns the content with the maximum that its upstreams can admit at once; the same content
   * when it fits, must not be lowered, or does not fit with the smallest maximum either.
   *
   * @param cost the cost of the content
   */
  static RequestContent fitting(RequestContext requestContext, RequestContent content, Cost cost) {
    EndpointSpec.Reading reading = requestContext.endpoint().spec().reading();
    if (reading.excessOutput() != ExcessOutput.CAP || cost.statedOutputTokens() == 0) {
      return content;
    }
    long most = requestContext.endpoint().mostStatedOutput(content.model(), cost);
    long each = most / content.answers();
    return cost.statedOutputTokens() <= most || each < 1 ? content : content.stating(each);
  }
}
