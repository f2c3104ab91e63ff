package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects from a request body what is needed to estimate its cost. */
public interface RequestVisitor extends JsonWalk.Visitor {
  /**
   * Returns the members of the outermost object that may be there only once, because they decide
   * about the request; several names of one member are written as {@code one|other}.
   */
  List<String> singleMembers();

  /** Returns the receiver of the body's bytes, or null; it sees each token before this visitor. */
  default @Nullable CompactBytes compactBytes() {
    return null;
  }

  /** Returns what is to see the members of the body too, to find where a maximum fits; or null. */
  default @Nullable MaximumPlaces maximumPlaces() {
    return null;
  }

  /** Returns the request with its estimated cost, after the body was read to its end. */
  WeighedRequest weigh(EndpointSpec.Reading reading);
}
