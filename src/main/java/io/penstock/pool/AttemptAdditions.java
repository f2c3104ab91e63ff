package io.penstock.pool;

import java.util.Set;

/**
 * The gateway's additions to a request, as far as one attempt shows that they are refused.
 *
 * @param refused those that this attempt had and its answer refuses
 * @param withheld those that this upstream refused in an earlier attempt, and this one went without
 */
public record AttemptAdditions(Set<Addition> refused, Set<Addition> withheld) {
  /** Nothing was refused. */
  public static final AttemptAdditions NONE = new AttemptAdditions(Set.of(), Set.of());

  public AttemptAdditions {
    refused = Set.copyOf(refused);
    withheld = Set.copyOf(withheld);
  }
}
