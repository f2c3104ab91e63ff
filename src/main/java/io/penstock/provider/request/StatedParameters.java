package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.BodyEdit;
import io.penstock.json.JsonWalk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request besides its text: model, stream flag, output maxima and number of
 * answers. They are members of the outermost object.
 */
public final class StatedParameters {
  /** Maximum length of a model name, in characters. */
  public static final int MAX_MODEL_LENGTH = 256;

  /** Maximum length of a user name, in characters. */
  static final int MAX_USER_LENGTH = 4_096;

  /** Maximum number of answers that a request may ask for. */
  static final int MAX_ANSWERS = 10_000;

  private static final String NO_MODEL = "model is missing";

  private final List<String> maximumNames;
  private final List<String> answerNames;
  private final List<StatedCount> maxima;
  private final List<StatedCount> answers;
  private final FurtherModels furtherModels = new FurtherModels();
  private @Nullable String model;
  private @Nullable String modelFault = NO_MODEL;
  private boolean stream;
  private @Nullable String user;
  private @Nullable String streamFault;
  private long modelAt = -1;
  private int modelLength;

  /**
   * Properties of a request besides its parameters.
   *
   * @param textTokens estimate of its input text, ≥ 0
   * @param otherTokens estimate of its other input, ≥ 0
   * @param inputs number of inputs, each of which gets the requested number of answers, ≥ 1
   * @param generates whether there is output at all
   * @param text its input text, or null if it is not for a tokenizer
   * @param asksUsage the change that asks for the usage of a stream, or null
   * @param traits other properties
   */
  record Found(
      long textTokens,
      long otherTokens,
      long inputs,
      boolean generates,
      @Nullable CharSequence text,
      @Nullable BodyEdit asksUsage,
      WeighedRequest.Traits traits) {}

  /**
   * @param manyAnswers whether the dialect supports {@code n}
   * @param maximumNames the members that state an output maximum
   */
  StatedParameters(boolean manyAnswers, String... maximumNames) {
    this(manyAnswers ? List.of("n") : List.of(), maximumNames);
  }

  /**
   * @param answerNames the members that state the number of answers
   * @param maximumNames the members that state an output maximum
   */
  StatedParameters(List<String> answerNames, String... maximumNames) {
    this.maximumNames = List.of(maximumNames);
    this.maxima = Arrays.stream(maximumNames).map(StatedCount::ofTokens).toList();
    this.answerNames = answerNames;
    this.answers = answerNames.stream().map(name -> new StatedCount(name, 1, MAX_ANSWERS)).toList();
  }

  /** Returns the members that may be there only once: those of the parameters, and others. */
  List<String> singleMembers(String... others) {
    List<String> single = new ArrayList<>(List.of("model", "models", "route", "stream"));
    single.addAll(maximumNames);
    single.addAll(answerNames);
    single.addAll(List.of(others));
    return single;
  }

  /** Reads a scalar that is a member of the outermost object, or is inside the one so named. */
  void scalar(JsonWalk at, String name) {
    if (FurtherModels.isNamedBy(name)) {
      furtherModels.scalar(at, name);
    } else if (at.depth() == 1) {
      member(at, name);
    }
  }

  private void member(JsonWalk at, String name) {
    switch (name) {
      case "model" -> model(at);
      case "stream" -> {
        stream = at.isTrue();
        streamFault = at.isBoolean() || at.isNull() ? null : "stream is not true or false";
      }
      default -> {
        StatedCount statedCount = count(name);
        if (statedCount != null) {
          statedCount.read(at);
        }
      }
    }
  }

  /** Reads the name of the user; a value that is not a string, or too long, counts as none. */
  void user(JsonWalk at) {
    user = at.isString() && at.isAtMost(MAX_USER_LENGTH) ? at.text() : null;
  }

  /** Clears the name of the user, because the member is repeated. */
  void noUser() {
    user = null;
  }

  /** Handles the beginning of an object or array, which counts only as a member of the body. */
  void open(JsonWalk at) {
    String name = at.depth() == 1 ? at.name() : null;
    if (name != null) {
      open(name);
    }
  }

  /** Visits an object or array that begins as a member of the outermost object. */
  void open(String name) {
    switch (name) {
      case "model" -> {
        model = null;
        modelAt = -1;
        modelFault = "model is not a string";
      }
      case "stream" -> streamFault = "stream is not true or false";
      default -> {
        StatedCount statedCount = count(name);
        if (statedCount != null) {
          statedCount.notANumber();
        }
      }
    }
  }

  private @Nullable StatedCount count(String name) {
    int answer = answerNames.indexOf(name);
    if (answer >= 0) {
      return answers.get(answer);
    }
    int i = maximumNames.indexOf(name);
    return i < 0 ? null : maxima.get(i);
  }

  private void model(JsonWalk at) {
    model = null;
    modelAt = -1;
    if (!at.isString()) {
      modelFault = "model is not a string";
    } else if (!at.isAtMost(MAX_MODEL_LENGTH)) {
      modelFault = "model is longer than " + MAX_MODEL_LENGTH + " characters";
    } else {
      model = at.text();
      modelAt = at.startsAt();
      modelLength = (int) (at.endsAt() - modelAt);
      modelFault = model.isBlank() ? "model is blank" : null;
    }
  }

  /** Allows the request to name no model, because its prompt template may name one. */
  void modelNotNeeded() {
    if (model == null && modelFault != null && modelFault.equals(NO_MODEL)) {
      modelFault = null;
    }
  }

  /**
   * Returns the estimated request.
   *
   * @param textTokens estimate of its input text, ≥ 0
   * @param otherTokens estimate of its other input, ≥ 0
   * @param generates whether there is output at all
   */
  WeighedRequest weigh(
      long textTokens, long otherTokens, boolean generates, EndpointSpec.Reading reading) {
    return weigh(
        new Found(textTokens, otherTokens, 1, generates, null, null, WeighedRequest.Traits.NONE),
        reading);
  }

  /** Returns the estimated request. */
  WeighedRequest weigh(Found found, EndpointSpec.Reading reading) {
    long times = answers() * found.inputs();
    String fault = modelFault != null ? modelFault : streamFault;
    if (fault == null) {
      fault = furtherModels.fault();
    }
    if (fault == null && found.generates()) {
      fault = outputFault(times);
    }
    if (fault != null) {
      return new WeighedRequest.Malformed(fault);
    }
    RequestContent content =
        new RequestContent(
            model,
            found.textTokens(),
            found.otherTokens(),
            found.generates() ? statedOutput() : RequestContent.UNSTATED,
            found.generates() ? times : 1,
            found.generates());
    long output = Math.clamp(reading.defaultOutputTokens(), 0, Cost.MAX_TOKENS);
    return new WeighedRequest.Request(
        content,
        content.expected(output),
        stream,
        user,
        found.text(),
        new WeighedRequest.Spots(
            modelAt,
            modelLength,
            stream ? found.asksUsage() : null,
            found.generates() ? StatedCount.stated(maxima) : List.of()),
        found.traits().naming(furtherModels.named()));
  }

  private @Nullable String outputFault(long times) {
    for (StatedCount maximum : maxima) {
      if (maximum.fault() != null) {
        return maximum.fault();
      }
    }
    for (StatedCount statedCount : answers) {
      if (statedCount.fault() != null) {
        return statedCount.fault();
      }
    }
    return statedOutput() > Cost.MAX_TOKENS / times
        ? "the output maximum times n is out of range, expected 0 to " + Cost.MAX_TOKENS
        : null;
  }

  /** Returns the largest of the maxima, or UNSTATED. */
  private long statedOutput() {
    long most = StatedCount.UNSTATED;
    for (StatedCount maximum : maxima) {
      most = Math.max(most, maximum.value());
    }
    return most;
  }

  /** Returns the largest number of answers to one input. */
  private long answers() {
    long most = 1;
    for (StatedCount statedCount : answers) {
      most = Math.max(most, statedCount.value());
    }
    return most;
  }
}
