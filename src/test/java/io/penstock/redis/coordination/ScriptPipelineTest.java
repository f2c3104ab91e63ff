package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FakeTicker;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ScriptPipelineTest {
  private final List<CompletableFuture<List<Reply>>> sent = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private final List<String> outcomes = new ArrayList<>();
  private final ScriptPipeline scriptPipeline =
      new ScriptPipeline(
          calls -> {
            sizes.add(calls.size());
            sent.add(new CompletableFuture<>());
            return sent.getLast();
          },
          new Object(),
          Runnable::run,
          new FakeTicker());

  private void add(String name) {
    scriptPipeline.add(
        () -> new Call(Membership.SCRIPT, name, List.of()),
        reply -> outcomes.add(name + (reply.trouble() == null ? "" : " failed")));
    scriptPipeline.flush();
  }

  @Test
  void whatComesMeanwhile_goesTogetherNext_inOrder() {
    add("a");
    add("b");
    add("c");
    sent.getFirst().complete(List.of(new Reply("", null)));
    assertThat(outcomes).containsExactly("a");
    scriptPipeline.flush();
    sent.getLast().complete(List.of(new Reply("", null), new Reply("", null)));
    assertThat(sizes).containsExactly(1, 2);
    assertThat(outcomes).containsExactly("a", "b", "c");
    assertThat(scriptPipeline.idle()).isTrue();
    assertThat(scriptPipeline.answered()).isEqualTo(2);
  }

  @Test
  void nothingIsAnswered_whatWaitsFailsToo_andWhatComesAfterIsTried() {
    add("a");
    add("b");
    sent.getFirst().completeExceptionally(new RedisTrouble(RedisTrouble.Kind.SLOW));
    assertThat(outcomes).containsExactly("a failed", "b failed");
    assertThat(scriptPipeline.idle()).isTrue();
    assertThat(scriptPipeline.answered()).isZero();
    add("c");
    sent.getLast().complete(List.of(new Reply("", null)));
    assertThat(outcomes).endsWith("c");
  }
}
