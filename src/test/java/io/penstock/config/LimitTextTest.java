package io.penstock.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class LimitTextTest {
  private static String of(String json) {
    return LimitText.of(JsonMapper.shared().readTree(json.replace('\'', '"')));
  }

  @Test
  void ownLimit_isSaidInItsUnit() {
    assertThat(of("{'algorithm':'strict','rate':2,'unit':'rps'}")).isEqualTo("2 rps");
    assertThat(of("{'algorithm':'token_bucket','rate':30,'unit':'rpm','burst_size':5}"))
        .isEqualTo("30 rpm +5");
    assertThat(of("{'algorithm':'sliding_window','rate':1,'unit':'rps','window_seconds':2.5}"))
        .isEqualTo("1 rps in 2.5s");
    assertThat(of("{'algorithm':'token_window','tokens_per_window':10000,'window_seconds':60}"))
        .isEqualTo("10Ktok/60s");
  }

  @Test
  void upstreams_areSaidByTheFirst() {
    assertThat(of("{'algorithm':'none','upstreams':[{'rpm':60,'tpm':0}]}")).isEqualTo("60rpm");
    assertThat(
            of(
                "{'algorithm':'strict','rate':1,'unit':'rps','upstreams':[{'concurrency':4},"
                    + "{}]}"))
        .isEqualTo("1 rps 4conc of 2");
  }

  @Test
  void noLimit_isNothing() {
    assertThat(of("{}")).isEmpty();
    assertThat(of("{'algorithm':'none','rate':1,'unit':'rps','upstreams':[{}]}")).isEmpty();
  }
}
