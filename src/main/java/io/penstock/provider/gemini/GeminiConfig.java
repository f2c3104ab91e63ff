package io.penstock.provider.gemini;

import io.penstock.json.JsonWalk;
import io.penstock.provider.request.BodyMember;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.SingleMembers;
import io.penstock.provider.request.StatedCount;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The {@code generationConfig} of a request: the output maximum, the number of answers, and their
 * schema, which is part of the input.
 */
final class GeminiConfig implements BodyMember {
  private final SingleMembers members =
      new SingleMembers()
          .add("maxOutputTokens", "max_output_tokens")
          .add("candidateCount", "candidate_count")
          .add("responseSchema", "response_schema")
          .add("responseJsonSchema", "response_json_schema");
  private final StatedCount maximum = StatedCount.ofTokens("maxOutputTokens");
  private final StatedCount maximumInSnakeCase = StatedCount.ofTokens("max_output_tokens");
  private final StatedCount candidates =
      new StatedCount("candidateCount", 1, BodyMembers.MAX_ANSWERS);
  private long schemaBytes;
  private @Nullable String doubt;

  @Override
  public void open(JsonWalk at, boolean array) {
    if (at.depth() == 1) {
      doubt = array ? "generationConfig is not an object" : null;
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

  @Override
  public void scalar(JsonWalk at) {
    if (at.depth() == 1) {
      doubt = at.isNull() ? null : "generationConfig is not an object";
      return;
    }
    note(at);
    if (isSchema(at)) {
      schemaBytes += at.compactBytes();
    }
    StatedCount statedCount = count(at);
    if (statedCount != null) {
      statedCount.read(at);
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

  @Override
  public @Nullable String fault() {
    return members.fault();
  }

  @Override
  public @Nullable String doubt() {
    if (doubt != null) {
      return doubt;
    }
    return Stream.of(maximum, maximumInSnakeCase, candidates)
        .map(StatedCount::doubt)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** Returns the maxima of the output of one answer. */
  List<StatedCount> maxima() {
    return List.of(maximum, maximumInSnakeCase);
  }

  /** Returns the number of answers. */
  List<StatedCount> answers() {
    return List.of(candidates);
  }

  /** Returns the size of the schemas of the answers. */
  @Override
  public long textBytes() {
    return schemaBytes;
  }
}
