package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.quota.LimitId.Kind;
import io.penstock.quota.SharingTerms.Owner;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharingTermsTest {
  private static final long SECOND = 1_000_000_000L;

  private static LimitId id(Kind kind, String id, long seconds) {
    return new LimitId(kind, id, "", Measure.REQUESTS, seconds * SECOND);
  }

  @Test
  void unsaid_isTheDefault() {
    assertThat(SharingTerms.NONE.of(id(Kind.KEY, "k", 60), Sharing.EXACT)).isEqualTo(Sharing.EXACT);
    assertThat(SharingTerms.NONE.of(id(Kind.ENDPOINT, "/a/b", 60), Sharing.LOCAL))
        .isEqualTo(Sharing.LOCAL);
  }

  @Test
  void endpointThatNobodyConfigured_isSharedAsTheNearestAboveIt() {
    SharingTerms terms =
        new SharingTerms(
            Map.of(
                new Owner(Kind.ENDPOINT, "/"), Sharing.LOCAL,
                new Owner(Kind.ENDPOINT, "/a"), Sharing.EVENTUAL));
    assertThat(terms.of(id(Kind.ENDPOINT, "/a/b/c", 60), Sharing.EXACT))
        .isEqualTo(Sharing.EVENTUAL);
    assertThat(terms.of(id(Kind.ENDPOINT, "/ab", 60), Sharing.EXACT)).isEqualTo(Sharing.LOCAL);
    assertThat(terms.of(id(Kind.KEY, "/a", 60), Sharing.EXACT)).isEqualTo(Sharing.EXACT);
  }

  @Test
  void partsOfAMinuteOfAnUpstream_areNeverSharedExactly() {
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 1), Sharing.EXACT))
        .isEqualTo(Sharing.LOCAL);
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 1), Sharing.EVENTUAL))
        .isEqualTo(Sharing.EVENTUAL);
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 10), Sharing.EXACT))
        .isEqualTo(Sharing.EXACT);
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 0), Sharing.EXACT))
        .isEqualTo(Sharing.EXACT);
  }
}
