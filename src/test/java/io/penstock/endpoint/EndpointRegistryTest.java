package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.LimitAlgorithm;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EndpointRegistryTest {
  private final EndpointFixture endpointFixture = new EndpointFixture();

  private String found(String path) {
    Endpoint endpoint = endpointFixture.registry.find(path);
    return endpoint == null ? "none" : endpoint.path();
  }

  @Test
  void ownPathThenNearestAncestor() {
    endpointFixture.apply(
        EndpointFixture.none("/v1"),
        EndpointFixture.none("/v1/chat/completions"),
        EndpointFixture.none("/x/y"));
    assertThat(found("/v1/chat/completions")).isEqualTo("/v1/chat/completions");
    assertThat(found("/v1/chat/completions/deep/er")).isEqualTo("/v1/chat/completions");
    assertThat(found("/v1/chat")).isEqualTo("/v1");
    assertThat(found("/v1/")).isEqualTo("/v1");
    assertThat(found("/v1")).isEqualTo("/v1");
    assertThat(found("/x/y/")).isEqualTo("/x/y");
  }

  @Test
  void partOfASegment_isNoAncestor() {
    endpointFixture.apply(EndpointFixture.none("/v1"));
    assertThat(List.of(found("/v10"), found("/v"), found("/"), found(""), found("v1/x")))
        .containsOnly("none");
  }

  @Test
  void root_isTheAncestorOfAll() {
    endpointFixture.apply(EndpointFixture.none("/"), EndpointFixture.none("/a"));
    assertThat(found("/")).isEqualTo("/");
    assertThat(found("/b/c")).isEqualTo("/");
    assertThat(found("//")).isEqualTo("/");
    assertThat(found("/a/b")).isEqualTo("/a");
  }

  @Test
  void pathOfThousandsOfSlashes_isFoundWithoutLookingAtEach() {
    endpointFixture.apply(EndpointFixture.none("/"), EndpointFixture.none("/v1"));
    String path = "/v1" + "/".repeat(1_000_000);
    assertThat(found(path)).isEqualTo("/v1");
    assertThat(found("/".repeat(1_000_000))).isEqualTo("/");
  }

  @Test
  void all_areSortedByPath() {
    endpointFixture.apply(
        EndpointFixture.none("/b"), EndpointFixture.none("/a"), EndpointFixture.none("/a/c"));
    assertThat(endpointFixture.registry.all())
        .extracting(Endpoint::path)
        .containsExactly("/a", "/a/c", "/b");
  }

  @Test
  void caughtUp_oncePathsThatStayHaveTheirNewConfiguration() {
    endpointFixture.apply(EndpointFixture.strict("/a", 1, 60));
    Endpoint endpoint = endpointFixture.endpoint("/a");
    endpointFixture.registry.apply(List.of(EndpointFixture.none("/a").spec()));
    CompletableFuture<Void> caughtUp =
        endpointFixture.registry.whenCaughtUp().toCompletableFuture();
    assertThat(caughtUp).isNotDone();
    endpointFixture.drivers.run();
    assertThat(caughtUp).isCompleted();
    assertThat(endpoint.spec().algorithm()).isEqualTo(LimitAlgorithm.NONE);
  }
}
