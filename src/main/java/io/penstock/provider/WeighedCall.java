package io.penstock.provider;

import io.penstock.cost.ModelOperation;
import io.penstock.provider.request.BodyMembers;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call to a provider, with a body from which its cost is estimated.
 *
 * @param path the end of its path, in lower case, such as {@code /chat/completions}
 * @param operation what it asks of a model
 * @param body returns a reader for the body of one request
 */
public record WeighedCall(String path, ModelOperation operation, Supplier<BodyMembers> body) {
  /** Returns the first of some calls that a path names, as in {@link CallPaths#names}. */
  public static @Nullable WeighedCall of(String path, List<WeighedCall> calls) {
    String tidy = CallPaths.tidy(path).toLowerCase(Locale.ROOT);
    for (WeighedCall each : calls) {
      if (tidy.endsWith(each.path)) {
        return each;
      }
    }
    return null;
  }
}
