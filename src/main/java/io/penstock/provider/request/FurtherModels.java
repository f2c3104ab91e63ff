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
final class FurtherModels implements BodyMember {
  /** Most models that the lists of one request may name, repetitions included. */
  static final int MOST = 32;

  static final String MODELS = "models";
  static final String ROUTE = "route";

  private final List<NamedModel> named = new ArrayList<>();
  private @Nullable String fault;

  @Override
  public void scalar(JsonWalk at) {
    String member = at.name(1);
    if (!at.isString() || (at.depth() == 1 && ROUTE.equals(member))) {
      return;
    }
    if (named.size() == MOST) {
      fault = "models and route name more than " + MOST + " models";
    } else if (!at.isAtMost(StatedModel.MAX_LENGTH)) {
      fault =
          member + " names a model that is longer than " + StatedModel.MAX_LENGTH + " characters";
    } else {
      long start = at.startsAt();
      named.add(new NamedModel(at.text(), start, (int) (at.endsAt() - start)));
    }
  }

  /** Returns the models in the order of their places. */
  List<NamedModel> named() {
    return List.copyOf(named);
  }

  @Override
  public @Nullable String fault() {
    return fault;
  }
}
