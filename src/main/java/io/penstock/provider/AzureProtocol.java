package io.penstock.provider;

import io.penstock.cost.ModelOperation;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.ProviderLesson;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.provider.request.AzureBody;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.RequestVisitor;
import io.penstock.refusal.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/**
 * Azure's protocol: OpenAI's calls under other paths. Calls below a deployment, such as {@code
 * /openai/deployments/NAME/chat/completions}, use its model; those below {@code /openai/v1} name
 * the model in the body.
 */
final class AzureProtocol implements ProviderProtocol {
  static final AzureProtocol INSTANCE = new AzureProtocol();

  private static final ProviderProtocol OPEN_AI = OpenAiProtocol.INSTANCE;
  private static final Pattern DEPLOYMENT = Pattern.compile("(?i)/deployments/+([^/]+)/");

  private AzureProtocol() {}

  @Override
  public boolean weighs(String method, String path) {
    return OPEN_AI.weighs(method, path);
  }

  @Override
  public @Nullable ModelOperation operation(String path) {
    return OPEN_AI.operation(path);
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path) {
    Matcher deployment = DEPLOYMENT.matcher(path);
    RequestVisitor visitor = deployment.find() ? OpenAiProtocol.visitor(path) : null;
    return visitor == null
        ? OPEN_AI.requestReader(reading, path)
        : new BodyReader(reading, new AzureBody(deployment.group(1), visitor));
  }

  @Override
  public AnswerReader answerReader(@Nullable String contentType) {
    return OPEN_AI.answerReader(contentType);
  }

  @Override
  public @Nullable SessionUsage sessionUsage() {
    return OPEN_AI.sessionUsage();
  }

  @Override
  public RefusalBody refusalBody(Refusal refusal, RefusedCall call) {
    return OPEN_AI.refusalBody(refusal, call);
  }

  @Override
  public byte @Nullable [] heartbeat() {
    return OPEN_AI.heartbeat();
  }

  @Override
  public ProviderLesson lesson(int status, Function<String, @Nullable String> header, byte[] body) {
    return OPEN_AI.lesson(status, header, body);
  }

  @Override
  public String renamed(String rawPath, String ownModel) {
    Matcher deployment = DEPLOYMENT.matcher(rawPath);
    return deployment.find()
        ? rawPath.substring(0, deployment.start(1))
            + UriUtils.encodePathSegment(ownModel, StandardCharsets.UTF_8)
            + rawPath.substring(deployment.end(1))
        : rawPath;
  }

  @Override
  public boolean listsModels(String method, String path) {
    return OPEN_AI.listsModels(method, path);
  }

  @Override
  public byte[] models(List<String> names) {
    return OPEN_AI.models(names);
  }

  @Override
  public @Nullable String describedModel(String method, String path) {
    return OPEN_AI.describedModel(method, path);
  }

  @Override
  public byte[] model(String name) {
    return OPEN_AI.model(name);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("api-key", apiKey);
  }
}
