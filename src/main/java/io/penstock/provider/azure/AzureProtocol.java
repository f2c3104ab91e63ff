package io.penstock.provider.azure;

import io.penstock.cost.ChargeRule;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.prefix.HashKey;
import io.penstock.provider.CountCall;
import io.penstock.provider.WeighedCall;
import io.penstock.provider.openai.OpenAiProtocol;
import io.penstock.provider.request.BodyReader;
import io.penstock.provider.request.RequestReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.UriUtils;

/**
 * Azure's protocol: OpenAI's calls under other paths. Calls below a deployment, such as {@code
 * /openai/deployments/NAME/chat/completions}, use its model, whatever their bodies name; those
 * below {@code /openai/v1} name the model in the body.
 */
public final class AzureProtocol extends OpenAiProtocol {
  private static final Pattern DEPLOYMENT = Pattern.compile("(?i)/deployments/+([^/]+)/");

  @Override
  public String text() {
    return "azure";
  }

  @Override
  public ChargeRule charge() {
    return ChargeRule.AZURE;
  }

  @Override
  public String telemetryName() {
    return "azure.ai.openai";
  }

  @Override
  public RequestReader requestReader(EndpointSpec.Reading reading, String path, HashKey key) {
    Matcher deployment = DEPLOYMENT.matcher(path);
    WeighedCall call = call(path);
    return call == null || !deployment.find()
        ? super.requestReader(reading, path, key)
        : new BodyReader(reading, call.body().get().ofModel(deployment.group(1)), key);
  }

  @Override
  protected boolean isOpenAi(URI url) {
    return true;
  }

  @Override
  public String version() {
    return "";
  }

  @Override
  public String basePath() {
    return "";
  }

  @Override
  public String repeatedSegment(String urlPath) {
    return urlPath.endsWith("/openai") ? "/openai" : "";
  }

  @Override
  public boolean isSpokenBy(String path, HttpHeaders headers) {
    return path.contains("/openai/deployments/") || headers.containsHeader("api-key");
  }

  @Override
  public String renamed(String rawPath, String ownModel) {
    Matcher deployment = DEPLOYMENT.matcher(rawPath);
    return deployment.find()
        ? rawPath.substring(0, deployment.start(1))
            + encoded(ownModel)
            + rawPath.substring(deployment.end(1))
        : rawPath;
  }

  private static String encoded(String model) {
    return UriUtils.encodePathSegment(model, StandardCharsets.UTF_8);
  }

  @Override
  public Map<String, String> credentials(String apiKey) {
    return Map.of("api-key", apiKey);
  }

  @Override
  public String smallestPath(String model) {
    return "/openai/deployments/%s/chat/completions?api-version=2024-10-21"
        .formatted(encoded(model));
  }

  /** Returns null: Azure has no such call. */
  @Override
  public @Nullable CountCall countCall(String path, String ownModel) {
    return null;
  }

  @Override
  public String mockName() {
    return "openai";
  }
}
