package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectReply;
import org.jspecify.annotations.Nullable;

/**
 * Decision about an object that is to be created, or to grow.
 *
 * @param refusal the reply when it is not admitted, or null
 * @param lost for the script, when an object of this name may have been lost; empty if there is no
 *     decision
 * @param room for the script, the bytes that the object may take; empty if there is no decision
 */
record ObjectAdmission(@Nullable ObjectReply refusal, String lost, String room) {
  /** No decision. */
  static final ObjectAdmission NONE = new ObjectAdmission(null, "", "");

  static ObjectAdmission refused(ObjectReply refusal) {
    return new ObjectAdmission(refusal, "", "");
  }
}
