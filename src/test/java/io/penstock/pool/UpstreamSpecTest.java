package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.quota.ProviderStatus;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the texts of an upstream for logs, and when it has no limits. */
class UpstreamSpecTest {
  private static UpstreamSpec.Access access(String apiKey, boolean passthrough) {
    return new UpstreamSpec.Access(apiKey, passthrough, null, Map.of("x-key", "secret"));
  }

  @Test
  void access_showsWhichCredentialIsSentAndNotIt() {
    assertThat(access("secret", false)).hasToString("Access[***]");
    assertThat(access(null, false)).hasToString("Access[none]");
    assertThat(access(null, true)).hasToString("Access[passthrough]");
  }

  @Test
  void link_showsTheHostOfItsProxyAlone() {
    UpstreamSpec.Timeouts timeouts = new UpstreamSpec.Timeouts(1, 2, 3, 4);
    URI proxy = URI.create("http://user:secret@proxy.example:3128");
    assertThat(new UpstreamSpec.Link(timeouts, null, proxy))
        .hasToString("Link[" + timeouts + " by proxy.example]");
    assertThat(new UpstreamSpec.Link(timeouts, null, null)).hasToString("Link[" + timeouts + "]");
  }

  @Test
  void limits_areNone_whenEachIsZero() {
    assertThat(new UpstreamSpec.Limits(0, 0, 0, 0, 0, 0).none()).isTrue();
    assertThat(new UpstreamSpec.Limits(0, 0, 0, 0, 0, 1).none()).isFalse();
    assertThat(new UpstreamSpec.Limits(1, 0, 0, 0, 0, 0).none()).isFalse();
  }

  @Test
  void silentAnswer_teachesItsStatusAlone() {
    assertThat(ProviderLesson.silent(204))
        .isEqualTo(
            new ProviderLesson(
                204,
                List.of(),
                ProviderStatus.UNSTATED,
                ProviderLesson.ErrorCause.OTHER,
                null,
                ""));
  }
}
