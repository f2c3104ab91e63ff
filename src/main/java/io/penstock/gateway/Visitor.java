package io.penstock.gateway;

import io.penstock.key.Caller;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who sent a request.
 *
 * @param caller whose key came with it, or null where none is needed
 * @param ownCredentials whether what it carries in the places of a provider's credential is for the
 *     provider; otherwise it may be a key of the gateway
 */
record Visitor(@Nullable Caller caller, boolean ownCredentials) {
  /** Anyone, where no keys are needed. */
  static final Visitor ANYONE = new Visitor(null, true);

  /** Returns the models it may use, or null for all. */
  @Nullable Set<String> models() {
    return caller == null ? null : caller.spec().scope().models();
  }
}
