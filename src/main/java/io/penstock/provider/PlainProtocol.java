package io.penstock.provider;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.UnreadAnswer;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.UnreadBody;
import io.penstock.refusal.Refusal;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Protocol for no provider in particular: no bodies are read, and refusals are problem details (RFC
 * 9457).
 */
final class PlainProtocol implements ProviderProtocol {
  static final PlainProtocol INSTANCE = new PlainProtocol();

  private PlainProtocol() {}

  @Override
  public boolean weighs(String method, String path) {
    return false;
  }

  @Override
  public @Nullable ProviderProtocol reader(String method, String path) {
    return null;
  }

  @Override
  public boolean startsBatch(String method, String path) {
    return false;
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path) {
    return new UnreadBody(Cost.ofInput(Math.clamp(reading.defaultTokens(), 0L, Cost.MAX_TOKENS)));
  }

  @Override
  public AnswerReader answerReader(@Nullable String contentType) {
    return UnreadAnswer.withoutUsage();
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return RefusalJson.problem(refusal, call);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("Authorization", "Bearer " + apiKey);
  }
}
