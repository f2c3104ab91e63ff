package io.penstock.provider;

import io.penstock.cost.Content;
import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request states beside its text: model, stream flag, output maxima and number of answers.
 * They are members of the outermost object; written twice, the last one counts.
 */
final class Parameters {
  /** The longest model name, in characters. */
  static final int MAX_MODEL_LENGTH = 256;

  /** The longest name of a user, in characters. */
  static final int MAX_USER_LENGTH = 4_096;

  /** The most answers a request may ask for. */
  static final int MAX_ANSWERS = 10_000;

  private final List<String> maximumNames;
  private final List<Count> maxima;
  private final @Nullable Count answers;
  private @Nullable String model;
  private @Nullable String modelFault = "model is missing";
  private boolean stream;
  private @Nullable String user;
  private @Nullable String streamFault;

  /**
   * @param manyAnswers whether the dialect knows {@code n}
   * @param maximumNames the members that state an output maximum
   */
  Parameters(boolean manyAnswers, String... maximumNames) {
    this.maximumNames = List.of(maximumNames);
    this.maxima = Arrays.stream(maximumNames).map(Count::ofTokens).toList();
    this.answers = manyAnswers ? new Count("n", 1, MAX_ANSWERS) : null;
  }

  /** Reads a scalar member of the outermost object. */
  void scalar(JsonWalk at, String name) {
    switch (name) {
      case "model" -> model(at);
      case "stream" -> {
        stream = at.isTrue();
        streamFault = at.isBoolean() || at.isNull() ? null : "stream is not true or false";
      }
      default -> {
        Count count = count(name);
        if (count != null) {
          count.read(at);
        }
      }
    }
  }

  /** Reads whom the request is for; what is no string, or too long a one, is nobody. */
  void user(JsonWalk at) {
    user = at.isString() && at.isAtMost(MAX_USER_LENGTH) ? at.text() : null;
  }

  /** Forgets whom the request is for: it is said anew. */
  void noUser() {
    user = null;
  }

  /** Takes note that an object or array begins as a member of the outermost object. */
  void open(String name) {
    switch (name) {
      case "model" -> modelFault = "model is not a string";
      case "stream" -> streamFault = "stream is not true or false";
      default -> {
        Count count = count(name);
        if (count != null) {
          count.notANumber();
        }
      }
    }
  }

  private @Nullable Count count(String name) {
    if (name.equals("n")) {
      return answers;
    }
    int i = maximumNames.indexOf(name);
    return i < 0 ? null : maxima.get(i);
  }

  private void model(JsonWalk at) {
    model = null;
    if (!at.isString()) {
      modelFault = "model is not a string";
    } else if (!at.isAtMost(MAX_MODEL_LENGTH)) {
      modelFault = "model is longer than " + MAX_MODEL_LENGTH + " characters";
    } else {
      model = at.text();
      modelFault = model.isBlank() ? "model is blank" : null;
    }
  }

  /**
   * Returns what the request weighs.
   *
   * @param textTokens the estimate of its input text, ≥ 0
   * @param otherTokens that of its other input, ≥ 0
   * @param generates whether it has output at all
   */
  Weighed weigh(
      long textTokens, long otherTokens, boolean generates, EndpointSpec.Reading reading) {
    String fault = modelFault != null ? modelFault : streamFault;
    if (fault == null && generates) {
      fault = outputFault();
    }
    if (fault != null) {
      return new Weighed.Malformed(fault);
    }
    Content content =
        new Content(
            model,
            textTokens,
            otherTokens,
            generates ? statedOutput() : Content.UNSTATED,
            generates ? answers() : 1,
            generates);
    long output = Math.clamp(reading.defaultOutputTokens(), 0, Cost.MAX_TOKENS);
    return new Weighed.Request(content, content.expected(output), stream, user);
  }

  private @Nullable String outputFault() {
    for (Count maximum : maxima) {
      if (maximum.fault() != null) {
        return maximum.fault();
      }
    }
    if (answers != null && answers.fault() != null) {
      return answers.fault();
    }
    return statedOutput() * answers() > Cost.MAX_TOKENS
        ? "the output maximum times n is out of range, expected 0 to " + Cost.MAX_TOKENS
        : null;
  }

  /** The largest of the maxima, or UNSTATED. */
  private long statedOutput() {
    long most = Count.UNSTATED;
    for (Count maximum : maxima) {
      most = Math.max(most, maximum.value());
    }
    return most;
  }

  private long answers() {
    return answers == null ? 1 : Math.max(1, answers.value());
  }
}
