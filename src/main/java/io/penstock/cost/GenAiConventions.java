package io.penstock.cost;

/**
 * Names of OpenTelemetry's conventions for generative AI, version 1.41.0: the one table of these
 * names, for metrics and for spans. Where Prometheus reads them, dots are underscores.
 */
public final class GenAiConventions {
  /** Attribute: the operation of the model, as named by {@link #name(Operation)}. */
  public static final String OPERATION_NAME = "gen_ai.operation.name";

  /**
   * Attribute: the provider that defined the dialect, as named by {@link Dialect#telemetryName}.
   */
  public static final String PROVIDER_NAME = "gen_ai.provider.name";

  /** Attribute: the model that is asked, under the name that clients use. */
  public static final String REQUEST_MODEL = "gen_ai.request.model";

  /** Attribute of spans: the model that answered, under the name in the answer. */
  public static final String RESPONSE_MODEL = "gen_ai.response.model";

  /** Attribute of spans: used tokens of input. */
  public static final String INPUT_TOKENS = "gen_ai.usage.input_tokens";

  /** Attribute of spans: used tokens of output. */
  public static final String OUTPUT_TOKENS = "gen_ai.usage.output_tokens";

  /** Attribute of metrics: {@link #INPUT} or {@link #OUTPUT}. */
  public static final String TOKEN_TYPE = "gen_ai.token.type";

  /** Attribute of spans: the host that is called. */
  public static final String SERVER_ADDRESS = "server.address";

  /** Attribute of spans: the port that is called. */
  public static final String SERVER_PORT = "server.port";

  /** Attribute: the status of an answer that is an error, or the reason why there is none. */
  public static final String ERROR_TYPE = "error.type";

  /** A value of {@link #TOKEN_TYPE}. */
  public static final String INPUT = "input";

  /** A value of {@link #TOKEN_TYPE}. */
  public static final String OUTPUT = "output";

  /** A value of {@link #ERROR_TYPE}: an error without a name of its own. */
  public static final String OTHER_ERROR = "_OTHER";

  /** Metric: a histogram of the tokens of a call, by {@link #TOKEN_TYPE}. */
  public static final String TOKEN_USAGE = "gen_ai.client.token.usage";

  /** Metric: a histogram of how long calls take, in seconds. */
  public static final String OPERATION_DURATION = "gen_ai.client.operation.duration";

  /** Metric: a histogram of how long the first output of a stream takes, in seconds. */
  public static final String TIME_TO_FIRST_CHUNK = "gen_ai.client.operation.time_to_first_chunk";

  private GenAiConventions() {}

  /** Returns the name of an operation. */
  public static String name(ModelOperation modelOperation) {
    return switch (modelOperation) {
      case CHAT -> "chat";
      case COMPLETION -> "text_completion";
      case GENERATION -> "generate_content";
      case EMBEDDING -> "embeddings";
    };
  }
}
