package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.provider.request.WeighedRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Particularities of Azure: deployments that name the model. */
class AzureTest {
  private static final ProviderProtocol SPEECH = DialectTable.AZURE;
  private static final ProviderProtocol OPEN_AI = DialectTable.OPENAI;

  private static WeighedRequest weigh(String path, String body) {
    return Cases.weigh(DialectTable.AZURE, path, Cases.bytes(body));
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /openai/deployments/d/chat/completions, true",
    "POST, /openai/deployments/d/embeddings, true",
    "POST, //openai//deployments//d//chat//completions/, true",
    "POST, /openai/deployments/d/extensions/chat/completions, true",
    "POST, /openai/v1/chat/completions, true",
    "POST, /openai/deployments/d/images/generations, true",
    "POST, /openai/deployments/d/audio/transcriptions, false",
    "GET, /openai/deployments/d/chat/completions, false",
    "POST, /openai/files, false",
  })
  void weighs_onlyGenerationAndEmbedding(String method, String path, boolean weighed) {
    assertThat(SPEECH.weighs(method, path)).isEqualTo(weighed);
  }

  @ParameterizedTest
  @CsvSource({
    "/openai/deployments/my \"d\"/chat/completions, '{}', my \"d\"",
    "//openai//deployments//d//chat//completions, '{\"model\":\"m\"}', d",
    "/openai/deployments/d/chat/completions, '{\"model\":7}', d",
    "/openai/deployments/d/chat/completions, '{\"model\":{\"a\":[1]}}', d",
    "/openai/deployments/d/chat/completions, '{\"model\":[]}', d",
    "/OpenAI/Deployments/d/Chat/Completions, '{\"model\":\"m\"}', d",
    "/openai/deployments/d/embeddings, '{\"input\":\"x\"}', d",
    "/openai/v1/chat/completions, '{\"model\":\"m\"}', m",
    "/openai/v1/embeddings, '{\"model\":\"m\"}', m",
  })
  void model_isTheDeployment_elseWhatTheBodySays(String path, String body, String model) {
    WeighedRequest.Request request = (WeighedRequest.Request) weigh(path, body);
    assertThat(request.model()).isEqualTo(model);
  }

  @Test
  void deployment_cannotBeRenamedInTheBody() {
    WeighedRequest.Request request =
        (WeighedRequest.Request)
            weigh("/openai/deployments/d/chat/completions", "{\"model\":\"m\"}");
    assertThat(request.spots().modelAt()).isEqualTo(-1);
  }

  @Test
  void faults_areOpenAis() {
    String below = "/openai/deployments/d/chat/completions";
    WeighedRequest.Request open =
        (WeighedRequest.Request) weigh("/openai/v1/chat/completions", "{\"max_tokens\":{}}");
    assertThat(open.doubts().model()).isEqualTo("model is missing");
    assertThat(open.doubts().tokens()).startsWith("max_tokens is not a whole number");
    assertThat(((WeighedRequest.Request) weigh(below, "{\"n\":0}")).doubts())
        .isEqualTo(new WeighedRequest.Doubts("n is out of range, expected 1 to 10000", null));
    assertThat(weigh(below, "[]")).isInstanceOf(WeighedRequest.Malformed.class);
    assertThat(weigh(below.replace("/d/", "/" + "d".repeat(257) + "/"), "{}"))
        .isEqualTo(new WeighedRequest.Malformed("model is longer than 256 characters"));
  }

  @ParameterizedTest
  @CsvSource({
    "/openai/deployments/a/chat/completions, b, /openai/deployments/b/chat/completions",
    "//openai/deployments//a/embeddings, b c/d, //openai/deployments//b%20c%2Fd/embeddings",
    "/openai/v1/chat/completions, b, /openai/v1/chat/completions",
  })
  void renamed_onlyTheDeploymentChanges(String path, String own, String expected) {
    assertThat(SPEECH.renamed(path, own)).isEqualTo(expected);
  }

  @Test
  void restIsOpenAis_butTheCredential() {
    assertThat(SPEECH.listsModels("GET", "/openai/v1/models")).isTrue();
    assertThat(ModelList.of(SPEECH, List.of("m"))).isEqualTo(ModelList.of(OPEN_AI, List.of("m")));
    assertThat(SPEECH.credentials("k")).isEqualTo(Map.of("api-key", "k"));
    assertThat(SPEECH.lesson(200, name -> null, new byte[0]))
        .isEqualTo(OPEN_AI.lesson(200, name -> null, new byte[0]));
  }
}
