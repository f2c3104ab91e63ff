package io.penstock.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.anthropic.models.messages.MessageCreateParams;
import com.openai.errors.SseException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import io.penstock.fake.OneFileGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what the SDKs raise when a stream is refused after heartbeats have begun its answer: the
 * status was sent by then, so the class of the error cannot tell the reason, but its code can.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SdkStreamErrorIT {
  private static final String ROUTES =
      """
      defaults: {heartbeat_seconds: 0.05, queue_timeout: 3}
      endpoints:
        - {path: /openai, dialect: openai, upstreams: [{id: o, url: "mock://openai"}]}
        - {path: /anthropic, dialect: anthropic, upstreams: [{id: a, url: "mock://anthropic"}]}
      """;

  private OneFileGateway gateway;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    gateway = OneFileGateway.start(directory, ROUTES, Duration.ofMinutes(1));
    gateway.endpoint("/openai").pause(true);
    gateway.endpoint("/anthropic").pause(true);
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  private static void assertQueueTimeout(SseException error) {
    assertThat(error.statusCode()).isEqualTo(200);
    assertThat(error.code()).contains("queue_timeout");
    assertThat(error.type()).contains("requests");
    assertThat(error.getMessage()).contains("it waited");
    assertThat(error.headers().values("x-request-id")).hasSize(1);
  }

  @Test
  void chatOfOpenAi_hasTheCodeOfTheRefusal() {
    ChatCompletionCreateParams chat =
        ChatCompletionCreateParams.builder().model("m").addUserMessage("Hello").build();
    try (SdkClients clients = new SdkClients(gateway.url("/openai"))) {
      assertQueueTimeout(
          catchThrowableOfType(
              SseException.class,
              () -> {
                try (var stream = clients.openAi().chat().completions().createStreaming(chat)) {
                  stream.stream().forEach(chunk -> {});
                }
              }));
    }
  }

  @Test
  void responseOfOpenAi_hasTheCodeOfTheRefusal() {
    ResponseCreateParams params = ResponseCreateParams.builder().model("m").input("Hello").build();
    try (SdkClients clients = new SdkClients(gateway.url("/openai"))) {
      assertQueueTimeout(
          catchThrowableOfType(
              SseException.class,
              () -> {
                try (var stream = clients.openAi().responses().createStreaming(params)) {
                  stream.stream().forEach(event -> {});
                }
              }));
    }
  }

  @Test
  void messageOfAnthropic_hasTheTypeOfTheRefusal() {
    MessageCreateParams params =
        MessageCreateParams.builder().model("m").maxTokens(5).addUserMessage("Hello").build();
    try (SdkClients clients = new SdkClients(gateway.url("/anthropic"))) {
      com.anthropic.errors.SseException error =
          catchThrowableOfType(
              com.anthropic.errors.SseException.class,
              () -> {
                try (var stream = clients.anthropic().messages().createStreaming(params)) {
                  stream.stream().forEach(event -> {});
                }
              });
      assertThat(error.statusCode()).isEqualTo(200);
      assertThat(error.body().toString()).contains("type=rate_limit_error", "it waited");
      assertThat(error.headers().values("x-request-id")).hasSize(1);
    }
  }
}
