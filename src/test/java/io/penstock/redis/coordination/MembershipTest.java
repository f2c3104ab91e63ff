package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ObjectKind;
import io.penstock.fake.FakeTicker;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.TroubleLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests which instances live, from the view of one of them. */
class MembershipTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long LEASE = 5 * SECOND;
  private static final long MICROS = 1_700_000_000_000_000L;

  private final List<String> notices = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private CompletableFuture<List<Reply>> answer = new CompletableFuture<>();
  private final FakeTicker ticker = new FakeTicker();
  private final StoreClock clock = new StoreClock.RedisClock(1_000_000);
  private final ScriptPipeline scriptPipeline =
      new ScriptPipeline(this::send, new Object(), Runnable::run, ticker);
  private final Membership membership =
      new Membership(
          new Membership.Names("key", "channel:", "me", LEASE),
          scriptPipeline,
          ticker,
          clock,
          new TroubleLog("of", "each"),
          new Membership.Listener() {
            @Override
            public void lost() {
              notices.add("lost");
            }

            @Override
            public void well() {
              notices.add("well");
            }

            @Override
            public void othersDeparted() {
              notices.add("others gone");
            }

            @Override
            public void missed() {
              notices.add("missed");
            }
          });

  private CompletableFuture<List<Reply>> send(List<Call> some) {
    calls.addAll(some);
    answer = new CompletableFuture<>();
    return answer;
  }

  private static Reply reply(String code, String... living) {
    List<String> words =
        Stream.concat(
                Stream.of(Long.toString(MICROS), code, "born", "", "17", "1700"), Stream.of(living))
            .toList();
    return new Reply(words, null);
  }

  private void tick(long at) {
    ticker.set(at);
    membership.tick(at);
    scriptPipeline.flush();
  }

  /** Sends a heartbeat, answers it with the living instances, and publishes it to the sender. */
  private void beat(long at, String... living) {
    tick(at);
    answer.complete(List.of(reply("J", living)));
  }

  private void joined(String... living) {
    beat(0, living);
    membership.receiveHeartbeat(1, 0);
    assertThat(membership.joined(0)).isTrue();
  }

  @Test
  void instanceThatIsAnsweredAndHearsItself_hasJoined() {
    tick(0);
    assertThat(membership.joined(0)).isFalse();
    assertThat(calls.getLast().args())
        .containsExactly("beat", "me.1", "", "", "1", "0", "5000000", "channel:me");
    answer.complete(List.of(reply("J", "me.1")));
    assertThat(notices).containsExactly("well");
    assertThat(membership.joined(0)).as("it has not heard itself").isFalse();
    assertThat(membership.receivedAllHeartbeats()).isFalse();
    membership.receiveHeartbeat(1, 0);
    assertThat(membership.joined(0)).isTrue();
    assertThat(membership.receivedAllHeartbeats()).isTrue();
    assertThat(membership.objects()).isEqualTo(17);
    assertThat(membership.joined(LEASE - 1)).isTrue();
    assertThat(membership.joined(LEASE)).isFalse();
  }

  @Test
  void signOfLife_isOneAtATimeAndProlongsTheLeaseFromWhenItWasSent() {
    joined("me.1");
    membership.tick(SECOND);
    tick(SECOND);
    assertThat(calls).hasSize(2);
    assertThat(calls.getLast().args().subList(4, 6)).containsExactly("2", "1");
    ticker.set(2 * SECOND);
    answer.complete(List.of(reply("J", "me.1")));
    membership.receiveHeartbeat(2, 2 * SECOND);
    assertThat(membership.joined(SECOND + LEASE - 1)).isTrue();
    assertThat(membership.joined(SECOND + LEASE)).isFalse();
  }

  @Test
  void instanceThatDoesNotHearItself_losesItsPlacesWithTheFirstLease() {
    joined("me.1");
    beat(3 * SECOND, "me.1");
    assertThat(membership.joined(LEASE - 1)).isTrue();
    assertThat(membership.joined(LEASE)).isFalse();
    tick(LEASE - 1);
    assertThat(membership.name()).isEqualTo("me.1");
    answer.complete(List.of(reply("J", "me.1")));
    tick(LEASE);
    assertThat(notices).endsWith("lost");
    assertThat(membership.name()).isEqualTo("me.2");
    answer.complete(List.of(reply("J", "me.2")));
    assertThat(membership.joined(LEASE)).as("it has not heard itself since").isFalse();
  }

  @Test
  void instanceThatIsGoneForTheOthers_comesBackUnderAnotherName() {
    joined("me.1");
    tick(SECOND);
    CompletableFuture<List<Reply>> unanswered = answer;
    unanswered.complete(List.of(reply("G")));
    assertThat(notices).containsExactly("well", "lost");
    assertThat(membership.joined(SECOND)).isFalse();
    scriptPipeline.flush();
    assertThat(calls.getLast().args().get(1)).isEqualTo("me.2");
  }

  @Test
  void wordThatWasNotHeard_isSaidToBeMissed() {
    joined("me.1");
    membership.receiveHeartbeat(2, 1);
    assertThat(notices).doesNotContain("missed");
    membership.receiveHeartbeat(4, 2);
    assertThat(notices).endsWith("missed");
    membership.receiveHeartbeat(3, 3);
    membership.receiveHeartbeat(5, 4);
    assertThat(notices).containsOnlyOnce("missed");
  }

  @Test
  void otherThatLivesNoMore_isGoneAndIsSaidOnce() {
    joined("me.1", "other");
    assertThat(membership.departedAmong(List.of("other", "me.1"))).isEmpty();
    beat(1, "me.1");
    assertThat(notices).endsWith("others gone");
    assertThat(membership.departedAmong(List.of("other", "me.1"))).containsExactly("other");
    beat(2, "me.1");
    assertThat(notices).endsWith("well");
  }

  @Test
  void onlyTheLastThatAreGone_areRemembered() {
    String[] many = new String[66];
    for (int each = 0; each < many.length; each++) {
      many[each] = "m" + each;
    }
    joined(many);
    beat(1, "me.1");
    assertThat(membership.departedAmong(List.of(many))).hasSize(64);
  }

  @Test
  void checkOfOthers_isAnsweredWithTheNextSignOfLife() {
    joined("me.1", "other");
    membership.check(List.of("other", "third"), () -> notices.add("checked"));
    scriptPipeline.flush();
    assertThat(notices).doesNotContain("checked");
    answer.complete(List.of(reply("J", "me.1", "other")));
    assertThat(notices).endsWith("checked");
    assertThat(membership.departedAmong(List.of("other", "third"))).containsExactly("third");
    beat(1, "me.1");
    assertThat(notices).containsOnlyOnce("checked");
  }

  @Test
  void noAnswer_answersWhatIsCheckedAndTakesNoTurns_andTheNextSignIsSent() {
    joined("me.1");
    membership.check(List.of("other"), () -> notices.add("checked"));
    scriptPipeline.flush();
    answer.completeExceptionally(new RedisTrouble(RedisTrouble.Kind.SLOW));
    assertThat(notices).endsWith("checked");
    assertThat(membership.joined(0)).isFalse();
    assertThat(membership.departedAmong(List.of("other"))).isEmpty();
    beat(1, "me.1");
    assertThat(membership.joined(1)).isTrue();
  }

  @Test
  void signThatFailsBeforeItIsSent_isFollowedByAnother() {
    tick(0);
    membership.tick(1); // it waits for the first
    answer.completeExceptionally(new RedisTrouble(RedisTrouble.Kind.SLOW));
    assertThat(scriptPipeline.idle()).isTrue();
    tick(2);
    assertThat(calls).hasSize(2);
  }

  @Test
  void caller_saysWhoLivesAndItselfOnce() {
    assertThat(membership.caller(List.of("gone")).living()).containsExactly("me.1");
    joined("me.1", "other");
    ObjectScript.Caller caller = membership.caller(List.of("gone"));
    assertThat(caller.living()).containsExactlyInAnyOrder("me.1", "other");
    assertThat(membership.key(ObjectKind.SEMAPHORE, "x")).isEqualTo("channel:{semaphore:x}");
  }

  @Test
  void whoLeaves_saysSoAndTakesNoTurns() {
    joined("me.1");
    membership.leave();
    scriptPipeline.flush();
    assertThat(calls.getLast().args()).startsWith("leave", "me.1", "born");
    assertThat(membership.joined(0)).isFalse();
  }
}
