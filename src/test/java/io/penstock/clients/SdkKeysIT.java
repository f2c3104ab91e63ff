package io.penstock.clients;

import static io.penstock.GatewayServer.MINUTE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.errors.PermissionDeniedException;
import com.openai.errors.RateLimitException;
import com.openai.errors.UnauthorizedException;
import io.penstock.fake.OneFileGateway;
import io.penstock.mainjob.ClientCall;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the providers' own clients get typed errors where their key is not good enough. */
class SdkKeysIT {
  private static final ClientCall CHAT = new ClientCall(ClientCall.Kind.CHAT, 12, 20, 1, false);
  private static final ClientCall MESSAGE =
      new ClientCall(ClientCall.Kind.MESSAGE, 12, 20, 1, false);

  @TempDir private static Path directory;

  private static OneFileGateway gateway;
  private final List<SdkClients> opened = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    String routes =
        """
        keys:
          - {name: good, sha256: %s}
          - {name: other, sha256: %s, allowed_models: [other]}
          - {name: once, sha256: %s, rpm: 1, on_limit: reject}
        endpoints:
          - path: /openai
            dialect: openai
            upstreams: [{id: openai, url: "mock://openai?tokens=4"}]
          - path: /anthropic
            dialect: anthropic
            upstreams: [{id: anthropic, url: "mock://anthropic?tokens=4"}]
        """
            .formatted(sha256("good"), sha256("other"), sha256("once"));
    gateway = OneFileGateway.start(directory, routes, MINUTE);
  }

  private static String sha256(String secret) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @AfterEach
  void close() {
    opened.forEach(SdkClients::close);
  }

  private SdkClients clients(String path, String key) {
    SdkClients clients = new SdkClients(gateway.url(path), key);
    opened.add(clients);
    return clients;
  }

  @Test
  void goodKey_isAnswered() {
    assertThat(clients("/openai", "good").perform(CHAT)).isPositive();
    assertThat(clients("/anthropic", "good").perform(MESSAGE)).isPositive();
  }

  @Test
  void unknownKey_isTheClientsOwnErrorOfAuthentication() {
    SdkClients openAi = clients("/openai", "bad");
    var denied = catchThrowableOfType(UnauthorizedException.class, () -> openAi.perform(CHAT));
    assertThat(denied.code()).contains("invalid_api_key");
    SdkClients anthropic = clients("/anthropic", "bad");
    var refused =
        catchThrowableOfType(
            com.anthropic.errors.UnauthorizedException.class, () -> anthropic.perform(MESSAGE));
    assertThat(refused.body().toString()).contains("authentication_error");
  }

  @Test
  void modelThatIsNotAllowed_isTheClientsOwnErrorOfPermission() {
    SdkClients openAi = clients("/openai", "other");
    var denied = catchThrowableOfType(PermissionDeniedException.class, () -> openAi.perform(CHAT));
    assertThat(denied.code()).contains("model_not_found");
    SdkClients anthropic = clients("/anthropic", "other");
    var refused =
        catchThrowableOfType(
            com.anthropic.errors.PermissionDeniedException.class, () -> anthropic.perform(MESSAGE));
    assertThat(refused.body().toString()).contains("permission_error");
  }

  @Test
  void limitOfTheKey_isTheClientsOwnErrorOfTheRate() {
    SdkClients openAi = clients("/openai", "once");
    assertThat(openAi.perform(CHAT)).isPositive();
    var limited = catchThrowableOfType(RateLimitException.class, () -> openAi.perform(CHAT));
    assertThat(limited.code()).contains("key_rpm");
    assertThat(limited.headers().values("x-ratelimit-remaining-requests")).containsExactly("0");
    SdkClients anthropic = clients("/anthropic", "once");
    var alike =
        catchThrowableOfType(
            com.anthropic.errors.RateLimitException.class, () -> anthropic.perform(MESSAGE));
    assertThat(alike.body().toString()).contains("rate_limit_error");
    assertThat(alike.headers().values("anthropic-ratelimit-requests-remaining"))
        .containsExactly("0");
  }
}
