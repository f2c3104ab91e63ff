package io.penstock.provider.request;

import io.penstock.json.JsonWalk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The models that may serve a request in place of the one that it asks for: all strings in the
 * lists {@code models} and {@code route}. Source: OpenRouter's reference, "Model fallbacks". A
 * {@code route} that is a string names a way of choosing and no model.
 */
final class FurtherModels {
  /** Most models that the lists of one request may name, repetitions included. */
  static final int MOST = 32;

  private static final String MODELS = "models";
  private static final String ROUTE = "route";

  private final List<NamedModel> named = new ArrayList<>();
  private @Nullable String fault;

  /** Returns whether a member of the outermost object names models. */
  static boolean isNamedBy(String member) {
    return member.equals(MODELS) || member.equals(ROUTE);
  }

  /** Visits a scalar in one of the members. */
  void scalar(JsonWalk at, String member) {
    if (!at.isString() || (at.depth() == 1 && member.equals(ROUTE))) {
      return;
    }
    if (named.size() == MOST) {
      fault = "models and route name more than " + MOST + " models";
    } else if (!at.isAtMost(StatedParameters.MAX_MODEL_LENGTH)) {
      fault =
          member
              + " names a model that is longer than "
              + StatedParameters.MAX_MODEL_LENGTH
              + " characters";
    } else {
      long start = at.startsAt();
      named.add(new NamedModel(at.text(), start, (int) (at.endsAt() - start)));
    }
  }

  /** Returns the models in the order of their places. */
  List<NamedModel> named() {
    return List.copyOf(named);
  }

  /** Returns what is wrong with the lists, or null. */
  @Nullable String fault() {
    return fault;
  }
}
