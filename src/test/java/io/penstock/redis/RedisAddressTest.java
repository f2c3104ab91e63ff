package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.redis.RedisAddress.Kind;
import org.junit.jupiter.api.Test;

class RedisAddressTest {
  private static RedisAddress parse(String url) {
    return RedisAddress.parse(url, null, null);
  }

  @Test
  void eachKind_isReadAsWritten() {
    RedisAddress single = parse("redis://a");
    assertThat(single.kind()).isEqualTo(Kind.SINGLE);
    assertThat(single.tls()).isFalse();
    assertThat(single.nodes()).containsExactly("a:6379");
    RedisAddress sentinel = parse("rediss-sentinel://a,b:1/2#mymaster");
    assertThat(sentinel.kind()).isEqualTo(Kind.SENTINEL);
    assertThat(sentinel.tls()).isTrue();
    assertThat(sentinel.nodes()).containsExactly("a:26379", "b:1");
    assertThat(sentinel.database()).isEqualTo(2);
    assertThat(sentinel.master()).isEqualTo("mymaster");
    RedisAddress cluster = parse("redis-cluster://a:7000,[::1]:7001");
    assertThat(cluster.kind()).isEqualTo(Kind.CLUSTER);
    assertThat(cluster.nodes()).containsExactly("a:7000", "[::1]:7001");
  }

  @Test
  void login_ofTheUrl_isWhatSettingsDoNotSay() {
    RedisAddress url = parse("redis://me:p%40ss+word@a");
    assertThat(url.user()).isEqualTo("me");
    assertThat(url.password()).isEqualTo("p@ss+word");
    RedisAddress plain = parse("redis://:pass@a");
    assertThat(plain.user()).isNull();
    assertThat(plain.password()).isEqualTo("pass");
    RedisAddress set = RedisAddress.parse("redis://me:pass@a", "you", "other");
    assertThat(set.user()).isEqualTo("you");
    assertThat(set.password()).isEqualTo("other");
  }

  @Test
  void password_isNeverShown() {
    assertThat(parse("redis://me:s3cret@a")).asString().contains("a:6379").doesNotContain("s3cret");
    assertThatThrownBy(() -> parse("redis://me:s3cret@a b")).message().doesNotContain("s3cret");
    assertThatThrownBy(() -> parse("redis://me:s3%zzcret@a"))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .doesNotContain("s3");
  }

  @Test
  void masterWithoutSentinels_isRefused() {
    assertThatThrownBy(() -> parse("redis://a#m")).hasMessageContaining("only sentinels");
  }
}
