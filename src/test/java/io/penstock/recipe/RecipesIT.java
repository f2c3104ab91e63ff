package io.penstock.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts each recipe, and calls it as the clients of its page do. */
class RecipesIT {
  private static final String CHAT = "/openai/v1/chat/completions";

  @TempDir private Path directory;

  private static HttpResponse<String> answered(CompletableFuture<HttpResponse<String>> answer) {
    return PatientWaits.join(answer);
  }

  private static void assertServed(CompletableFuture<HttpResponse<String>> answer) {
    assertThat(answered(answer).statusCode()).as(answered(answer).body()).isEqualTo(200);
  }

  private static String reason(HttpResponse<String> answer) {
    return answer.headers().firstValue("x-penstock-reason").orElse("none");
  }

  @Test
  void agents_eachDialectIsServed() throws Exception {
    try (RecipeGateway gateway =
        RecipeGateway.start(directory, "agents", _ -> RecipeGateway.CHAT)) {
      String generate = "{\"contents\":[{\"parts\":[{\"text\":\"Hello\"}]}]}";
      String gemini = "/gemini/v1beta/models/gemini-2.5-flash:generateContent";
      assertServed(gateway.post(CHAT, "engineer-1", RecipeGateway.ask("gpt-4o", 50)));
      assertServed(
          gateway.post(
              "/anthropic/v1/messages", "engineer-2", RecipeGateway.ask("claude-sonnet-5", 50)));
      assertServed(gateway.post(gemini, "engineer-1", generate));
    }
  }

  @Test
  void teamBudget_usedUpByOne_leavesTheOthersTheirs() throws Exception {
    String dear = RecipeGateway.chat(2_000_000, 10);
    try (RecipeGateway gateway = RecipeGateway.start(directory, "team-budget", _ -> dear)) {
      String ask = RecipeGateway.ask("gpt-4o-mini", 50);
      assertServed(gateway.post(CHAT, "ada", ask));
      gateway.await("/openai", "\"served\":1,");

      HttpResponse<String> refused = answered(gateway.post(CHAT, "ada", ask));
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(reason(refused)).isEqualTo("key_budget");
      assertThat(refused.headers().firstValue("x-should-retry")).contains("false");
      assertThat(refused.body())
          .contains("usage_limit_reached")
          .containsPattern(
              "key ada: 2000000 tokens a day, next at \\d{4}-\\d\\d-\\d\\d 00:00:0\\d UTC");
      assertThat(answered(gateway.get("/openai/v1/penstock/status", "ada")).body())
          .contains("\"limit\":\"key-budget\"", "\"remaining\":0");
      assertServed(gateway.post(CHAT, "grace", ask));
      gateway.await("/openai", "\"served\":2,");
      assertThat(gateway.operator("GET /usage?group_by=key&format=csv"))
          .contains("ada,1,2000000,10,0.300006000", "grace,1,2000000,10,0.300006000");
    }
  }

  @Test
  void ownModels_serverWithOneSlot_getsTheSecondRequestAfterTheFirst() throws Exception {
    CountDownLatch ready = new CountDownLatch(1);
    try (RecipeGateway gateway =
        RecipeGateway.start(
            directory,
            "own-models",
            _ -> {
              PatientWaits.await(ready);
              return RecipeGateway.CHAT;
            })) {
      String ask = RecipeGateway.ask("llama3.2", 50);
      CompletableFuture<HttpResponse<String>> first =
          gateway.post("/ollama/v1/chat/completions", "any", ask);
      HttpMessage received = gateway.received();
      assertThat(received.target()).isEqualTo("/127.0.0.1-11434/v1/chat/completions");
      assertThat(received.header("Authorization")).isNull();
      CompletableFuture<HttpResponse<String>> second =
          gateway.post("/ollama/v1/chat/completions", "any", ask);
      gateway.await("/ollama", "\"queue_depth\":1,");
      assertThat(first).isNotDone();

      ready.countDown();
      assertServed(first);
      assertServed(second);
      assertServed(
          gateway.post("/vllm/v1/chat/completions", "any", RecipeGateway.ask("qwen3-32b", 50)));
    }
  }

  @Test
  void provisionedFirst_fullOrRefused_isLeftForTheNextInTheList() throws Exception {
    String throttled =
        RecipeGateway.answer("429 Too Many Requests", "{\"error\":{\"code\":\"429\"}}");
    try (RecipeGateway gateway =
        RecipeGateway.start(
            directory,
            "provisioned-first",
            request -> request.target().contains("westus") ? throttled : RecipeGateway.CHAT)) {
      assertServed(gateway.post(CHAT, "any", RecipeGateway.ask("gpt-4o", 149_000)));
      HttpMessage first = gateway.received();
      assertThat(first.target())
          .isEqualTo("/ours-eastus.openai.azure.com/openai/v1/chat/completions");
      assertThat(first.header("Authorization")).isEqualTo("Bearer azure-eastus-api-key");
      assertThat(first.text()).contains("\"gpt-4o-provisioned\"");

      assertServed(gateway.post(CHAT, "any", RecipeGateway.ask("gpt-4o", 2_000)));
      HttpMessage second = gateway.received();
      assertThat(RecipeGateway.host(second)).startsWith("ours-westus");
      assertThat(second.text()).contains("\"gpt-4o-by-use\"");
      HttpMessage third = gateway.received();
      assertThat(third.target()).isEqualTo("/api.openai.com/v1/chat/completions");
      assertThat(third.header("Authorization")).isEqualTo("Bearer openai-api-key");
    }
  }

  @Test
  void severalAccounts_oneWithoutCredit_leavesItsRequestsToTheOther() throws Exception {
    String broke =
        RecipeGateway.answer(
            "401 Unauthorized",
            "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid"
                + " x-api-key\"}}");
    String message =
        RecipeGateway.answer(
            "200 OK",
            "{\"type\":\"message\",\"content\":[],\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}");
    try (RecipeGateway gateway =
        RecipeGateway.start(
            directory,
            "several-accounts",
            request -> "research-api-key".equals(request.header("x-api-key")) ? broke : message)) {
      for (int i = 0; i < 6; i++) {
        HttpResponse<String> answer =
            answered(
                gateway.post(
                    "/anthropic/v1/messages", "any", RecipeGateway.ask("claude-sonnet-5", 50)));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("x-penstock-upstream")).contains("product");
      }
      assertThat(gateway.received().header("x-api-key")).isEqualTo("research-api-key");
      assertThat(gateway.operator("GET /upstreams")).contains("account refused");
    }
  }

  @Test
  void nightBatch_beforePeople_goesAfterThemAllTheSame() throws Exception {
    try (RecipeGateway gateway =
        RecipeGateway.start(directory, "night-batch", _ -> RecipeGateway.CHAT)) {
      gateway.operator("POST /endpoints/pause?path=/openai");
      CompletableFuture<HttpResponse<String>> batch =
          gateway.post(
              CHAT, "batch", RecipeGateway.ask("of-batch", 16_000), "x-penstock-priority", "9");
      gateway.await("/openai", "\"queue_depth\":1,");
      CompletableFuture<HttpResponse<String>> person =
          gateway.post(CHAT, "people", RecipeGateway.ask("of-batch", 16_000));
      gateway.await("/openai", "\"queue_depth\":2,");
      gateway.operator("POST /endpoints/resume?path=/openai");

      assertServed(person);
      assertThat(batch).isNotDone();
      assertServed(batch);
    }
  }

  @Test
  void openWebUi_usersWithTheSameKey_takeTurns() throws Exception {
    try (RecipeGateway gateway =
        RecipeGateway.start(directory, "open-webui", _ -> RecipeGateway.CHAT)) {
      gateway.operator("POST /endpoints/pause?path=/openai");
      List<CompletableFuture<HttpResponse<String>>> answers =
          List.of(of(gateway, "ada", 1), of(gateway, "ada", 2), of(gateway, "grace", 3));
      gateway.operator("POST /endpoints/resume?path=/openai");
      answers.forEach(RecipesIT::assertServed);

      List<HttpMessage> received =
          List.of(gateway.received(), gateway.received(), gateway.received());
      assertThat(received)
          .extracting(request -> request.header("x-openwebui-user-id"))
          .containsExactly("ada", "grace", "ada");
      assertThat(received)
          .extracting(request -> request.header("x-openwebui-user-email"))
          .containsOnly("user@invalid");
    }
  }

  /** Sends a request of a user, and waits until that many wait. */
  private static CompletableFuture<HttpResponse<String>> of(
      RecipeGateway gateway, String user, int waiting) {
    CompletableFuture<HttpResponse<String>> answer =
        gateway.post(
            CHAT,
            "open-webui",
            RecipeGateway.ask("gpt-4o", 2_400),
            "X-OpenWebUI-User-Id",
            user,
            "X-OpenWebUI-User-Email",
            user + "@example.com");
    gateway.await("/openai", "\"queue_depth\":" + waiting + ",");
    return answer;
  }

  @Test
  void liteLlm_inFrontAndBehind_hasAKeyForEachWay() throws Exception {
    try (RecipeGateway gateway =
        RecipeGateway.start(directory, "litellm", _ -> RecipeGateway.CHAT)) {
      String ask = RecipeGateway.ask("gpt-4o", 50);
      String behind = "/litellm/v1/chat/completions";
      assertServed(gateway.post(behind, "application", ask));
      HttpMessage toLiteLlm = gateway.received();
      assertThat(toLiteLlm.target()).isEqualTo("/127.0.0.1-4000/v1/chat/completions");
      assertThat(toLiteLlm.header("Authorization")).isEqualTo("Bearer litellm-master-key");
      assertServed(gateway.post(CHAT, "litellm", ask));
      assertThat(gateway.received().header("Authorization")).isEqualTo("Bearer openai-api-key");

      assertThat(reason(answered(gateway.post(CHAT, "application", ask))))
          .isEqualTo("forbidden_endpoint");
      assertThat(reason(answered(gateway.post(behind, "litellm", ask))))
          .isEqualTo("forbidden_endpoint");
    }
  }

  @Test
  void production_knownKeyAlone_isServed() throws Exception {
    try (RecipeGateway gateway =
        RecipeGateway.start(directory, "production", _ -> RecipeGateway.CHAT)) {
      String ask = RecipeGateway.ask("gpt-4o", 50);
      assertServed(gateway.post(CHAT, "first-application", ask));
      assertThat(answered(gateway.post(CHAT, "nobody", ask)).statusCode()).isEqualTo(401);
    }
  }
}
