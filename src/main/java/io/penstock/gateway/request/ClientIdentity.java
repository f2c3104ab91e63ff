package io.penstock.gateway.request;

import io.penstock.key.ApiCaller;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The client that sent a request.
 *
 * @param caller the key that came with it, or null where none is needed
 * @param ownCredentials whether a credential in one of the provider's usual places is meant for the
 *     provider; otherwise it may be a key of the gateway
 */
public record ClientIdentity(@Nullable ApiCaller caller, boolean ownCredentials) {
  /** Any client, where no keys are needed. */
  public static final ClientIdentity ANYONE = new ClientIdentity(null, true);

  /** Returns the models that the client may use, or null for all. */
  public @Nullable Set<String> models() {
    return caller == null ? null : caller.spec().terms().scope().models();
  }
}
