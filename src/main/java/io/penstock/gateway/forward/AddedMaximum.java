package io.penstock.gateway.forward;

import io.penstock.cost.RequestContent;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.MaximumPlace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the member that tells an upstream the maximum of output which the key states and the body
 * does not.
 */
final class AddedMaximum {
  private AddedMaximum() {}

  /** Returns the place where the maximum is written into the body, or null if none is written. */
  static @Nullable MaximumPlace place(RequestContext requestContext, UpstreamSpec spec) {
    if (requestContext.addedMaximum() == RequestContent.UNSTATED) {
      return null;
    }
    List<MaximumPlace> places = requestContext.spots().places();
    String member =
        requestContext.protocol().maximumMember(spec.url(), requestContext.parameters().query());
    for (MaximumPlace each : places) {
      if (places.size() == 1 || each.member().equals(member)) {
        return each;
      }
    }
    return null;
  }
}
