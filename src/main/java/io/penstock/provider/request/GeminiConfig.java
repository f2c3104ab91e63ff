package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.json.JsonWalk;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code generationConfig} of a request: the output maximum, the number of answers, and their
 * schema, which is part of the input.
 */
final class GeminiConfig {
  private final SingleMembers members =
      new SingleMembers(
          List.of(
              "maxOutputTokens|max_output_tokens",
              "candidateCount|candidate_count",
              "responseSchema|response_schema",
              "responseJsonSchema|response_json_schema"));
  private final StatedCount maximum = StatedCount.ofTokens("maxOutputTokens");
  private final StatedCount maximumInSnakeCase = StatedCount.ofTokens("max_output_tokens");
  private final StatedCount candidates =
      new StatedCount("candidateCount", 1, StatedParameters.MAX_ANSWERS);
  private long schemaBytes;
  private @Nullable String fault;

  void open(JsonWalk at, boolean array) {
    if (at.depth() == 1) {
      fault = array ? "generationConfig is not an object" : null;
      return;
    }
    note(at);
    if (isSchema(at)) {
      schemaBytes += at.containerBytes();
    }
    StatedCount statedCount = count(at);
    if (statedCount != null) {
      statedCount.notANumber();
    }
  }

  void scalar(JsonWalk at) {
    if (at.depth() == 1) {
      fault = at.isNull() ? null : "generationConfig is not an object";
      return;
    }
    note(at);
    if (isSchema(at)) {
      schemaBytes += at.compactBytes();
    }
    StatedCount statedCount = count(at);
    if (statedCount != null) {
      // protocol buffers allow whole numbers in quotes: "JSON Mapping"
      statedCount.readQuoted(at);
    }
  }

  private void note(JsonWalk at) {
    String name = at.depth() == 2 ? at.name() : null;
    if (name != null) {
      members.found(name);
    }
  }

  private static boolean isSchema(JsonWalk at) {
    String name = at.name(2);
    return name != null
        && switch (name) {
          case "responseSchema", "response_schema", "responseJsonSchema", "response_json_schema" ->
              true;
          default -> false;
        };
  }

  private @Nullable StatedCount count(JsonWalk at) {
    String name = at.depth() == 2 ? at.name() : null;
    if (name == null) {
      return null;
    }
    return switch (name) {
      case "maxOutputTokens" -> maximum;
      case "max_output_tokens" -> maximumInSnakeCase;
      case "candidateCount", "candidate_count" -> candidates;
      default -> null;
    };
  }

  /** Returns what is wrong with the configuration, or null. */
  @Nullable String fault() {
    if (fault != null) {
      return fault;
    }
    if (members.fault() != null) {
      return members.fault();
    }
    for (StatedCount each : new StatedCount[] {maximum, maximumInSnakeCase, candidates}) {
      if (each.fault() != null) {
        return each.fault();
      }
    }
    return statedOutput() > Cost.MAX_TOKENS / answers()
        ? "maxOutputTokens times candidateCount is out of range, expected 0 to " + Cost.MAX_TOKENS
        : null;
  }

  /** Returns the output maximum of one answer, or {@link RequestContent#UNSTATED}. */
  long statedOutput() {
    return Math.max(maximum.value(), maximumInSnakeCase.value());
  }

  /** Returns the stated maxima of one answer, with their places. */
  List<StatedMaximum> maxima() {
    return StatedCount.stated(List.of(maximum, maximumInSnakeCase));
  }

  long answers() {
    return Math.max(1, candidates.value());
  }

  long schemaBytes() {
    return schemaBytes;
  }
}
