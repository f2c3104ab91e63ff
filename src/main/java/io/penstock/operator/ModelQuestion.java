package io.penstock.operator;

import io.penstock.cost.Cost;
import io.penstock.operator.QuestionBody.Unclear;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A question about a model: a JSON object of whole numbers, none below 0.
 *
 * @param model the model in the query; empty if the query names none
 */
record ModelQuestion(String model, Map<String, Long> numbers) {
  private static final int MOST_BYTES = 16 << 10;
  private static final int LONGEST_NAME = 256;

  /**
   * Returns a handler that reads the question and passes it on, or answers with what is wrong with
   * it.
   */
  static HandlerFunction<ServerResponse> about(
      List<String> members, boolean ofModel, Function<ModelQuestion, Mono<ServerResponse>> answer) {
    return about(members, List.of(), ofModel, answer);
  }

  /** Returns a handler as above; {@code others} has names that are read but not advertised. */
  static HandlerFunction<ServerResponse> about(
      List<String> members,
      List<String> others,
      boolean ofModel,
      Function<ModelQuestion, Mono<ServerResponse>> answer) {
    return request ->
        QuestionBody.answered(
            request,
            MOST_BYTES,
            body ->
                body.map(
                        bytes ->
                            new ModelQuestion(
                                ofModel ? model(request, true) : "",
                                numbers(bytes, members, others)))
                    .flatMap(answer));
  }

  /** Returns a handler for questions without a body; the model is empty if the query names none. */
  static HandlerFunction<ServerResponse> aboutModel(
      boolean required, Function<String, Mono<ServerResponse>> answer) {
    return request ->
        QuestionBody.orUnclear(Mono.defer(() -> answer.apply(model(request, required))));
  }

  private static String model(ServerRequest request, boolean required) {
    if (!Set.of("model").containsAll(request.queryParams().keySet())) {
      throw new Unclear("only ?model= is understood here");
    }
    List<String> given = request.queryParams().getOrDefault("model", List.of());
    String model = given.isEmpty() ? "" : given.getFirst();
    boolean named = !model.isBlank();
    if (given.size() > 1 || named == given.isEmpty() || (required && !named)) {
      throw new Unclear("one ?model= is expected");
    }
    if (model.length() > LONGEST_NAME) {
      throw new Unclear("model is longer than " + LONGEST_NAME + " characters");
    }
    return model;
  }

  private static Map<String, Long> numbers(byte[] json, List<String> members, List<String> others) {
    if (!(OperatorJson.parsed(json) instanceof ObjectNode given)) {
      throw new Unclear("a JSON object is expected");
    }
    Map<String, Long> numbers = new HashMap<>();
    for (Map.Entry<String, JsonNode> member : given.properties()) {
      String name = member.getKey();
      if (!members.contains(name) && !others.contains(name)) {
        throw new Unclear("only " + String.join(", ", members) + " are understood");
      }
      if (!member.getValue().isIntegralNumber() || !member.getValue().canConvertToLong()) {
        throw new Unclear(name + " is not a whole number from 0 to " + Cost.MAX_TOKENS);
      }
      numbers.put(name, member.getValue().longValue());
    }
    return numbers;
  }

  /** Returns a required number, of any size. */
  long any(String name) {
    Long number = numbers.get(name);
    if (number == null) {
      throw new Unclear(name + " is missing, expected a whole number");
    }
    return number;
  }

  /** Returns a required number from 0 to {@link Cost#MAX_TOKENS}. */
  long number(String name) {
    return within(name, any(name), Cost.MAX_TOKENS);
  }

  /** Returns a number, or the default if it is missing. */
  long number(String name, long otherwise, long most) {
    return within(name, numbers.getOrDefault(name, otherwise), most);
  }

  /**
   * Returns a number that has another name too, or the default if it is missing; the body may use
   * one of the names.
   */
  long number(String name, String other, long otherwise, long most) {
    if (numbers.containsKey(name) && numbers.containsKey(other)) {
      throw new Unclear(
          "%s and %s are two names of one limit, expected only %s".formatted(name, other, name));
    }
    return number(numbers.containsKey(other) ? other : name, otherwise, most);
  }

  private static long within(String name, long number, long most) {
    if (number < 0 || number > most) {
      throw new Unclear(name + " is " + number + ", expected 0 to " + most);
    }
    return number;
  }
}
