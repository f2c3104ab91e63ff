package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.SharingTerms.Owner;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharingTermsTest {
  private static final long SECOND = 1_000_000_000L;

  private static LimitId id(Kind kind, String id, long seconds) {
    return new LimitId(kind, id, "", LimitMeasure.REQUESTS, seconds * SECOND);
  }

  @Test
  void unsaid_isTheDefault() {
    assertThat(SharingTerms.NONE.of(id(Kind.KEY, "k", 60), SharingMode.EXACT))
        .isEqualTo(SharingMode.EXACT);
    assertThat(SharingTerms.NONE.of(id(Kind.ENDPOINT, "/a/b", 60), SharingMode.LOCAL))
        .isEqualTo(SharingMode.LOCAL);
  }

  @Test
  void endpointThatNobodyConfigured_isSharedAsTheNearestAboveIt() {
    SharingTerms terms =
        new SharingTerms(
            Map.of(
                new Owner(Kind.ENDPOINT, "/"), SharingMode.LOCAL,
                new Owner(Kind.ENDPOINT, "/a"), SharingMode.EVENTUAL));
    assertThat(terms.of(id(Kind.ENDPOINT, "/a/b/c", 60), SharingMode.EXACT))
        .isEqualTo(SharingMode.EVENTUAL);
    assertThat(terms.of(id(Kind.ENDPOINT, "/ab", 60), SharingMode.EXACT))
        .isEqualTo(SharingMode.LOCAL);
    assertThat(terms.of(id(Kind.KEY, "/a", 60), SharingMode.EXACT)).isEqualTo(SharingMode.EXACT);
  }

  @Test
  void partsOfAMinuteOfAnUpstream_areNeverSharedExactly() {
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 1), SharingMode.EXACT))
        .isEqualTo(SharingMode.LOCAL);
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 1), SharingMode.EVENTUAL))
        .isEqualTo(SharingMode.EVENTUAL);
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 10), SharingMode.EXACT))
        .isEqualTo(SharingMode.EXACT);
    assertThat(SharingTerms.NONE.of(id(Kind.UPSTREAM, "u", 0), SharingMode.EXACT))
        .isEqualTo(SharingMode.EXACT);
  }
}
