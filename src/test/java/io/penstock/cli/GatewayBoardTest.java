package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.TerminalStyle.Tone;
import org.junit.jupiter.api.Test;

class GatewayBoardTest {
  private final Story story = new Story();

  private String line(int fromNewest) {
    GatewayBoard.Line line = story.board.log(fromNewest + 1).get(fromNewest);
    return "%s %s %s %s".formatted(line.time(), line.what(), line.endpoint(), line.detail());
  }

  @Test
  void ticketThatWaits_isCountedAtOnceAndAges() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':0"));
    story.ticket("queued", "/a", 1, "'input_tokens':5,'output_tokens':100");
    assertThat(story.at("/a").depth()).isEqualTo(1);
    assertThat(line(0)).isEqualTo("12:00:00 queued /a #1 105 tokens");
    assertThat(story.at("/a").ages(9, story.board.now())).containsExactly(Tone.GOOD);
    story.pass(1_000);
    assertThat(story.at("/a").ages(9, story.board.now())).containsExactly(Tone.FAIR);
    story.pass(9_000);
    assertThat(story.at("/a").ages(9, story.board.now())).containsExactly(Tone.LATE);
    story.pass(50_000);
    assertThat(story.at("/a").ages(9, story.board.now())).containsExactly(Tone.BAD);
  }

  @Test
  void ticketThatGoes_isTakenAwayAndItsWaitCounted() {
    story.endpoints("/a").ticket("queued", "/a", 1).ticket("queued", "/a", 2);
    story.ticket("released", "/a", 1, "'waited_ms':1500,'upstream':'u','model':'m'");
    assertThat(story.at("/a").depth()).isEqualTo(1);
    assertThat(story.at("/a").waits().last()).isEqualTo(1500);
    assertThat(line(0)).isEqualTo("12:00:00 released /a #1 waited 1.5s to u m");
    story.ticket("expired", "/a", 2, "'reason':'queue_timeout','detail':'too long'");
    assertThat(story.at("/a").depth()).isZero();
    assertThat(line(0)).isEqualTo("12:00:00 expired /a #2 queue_timeout: too long");
  }

  @Test
  void ticketThatNeverWaited_leavesTheQueueAsItIs() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':3"));
    story.ticket("released", "/a", 1, "'waited_ms':0");
    story.ticket("refused", "/a", 2, "'reason':'queue_full','detail':'full'");
    story.ticket("cancelled", "/a", 1);
    assertThat(story.at("/a").depth()).isEqualTo(3);
    assertThat(story.at("/a").waits().count()).isEqualTo(1);
  }

  @Test
  void ticketsThatWaitedBefore_haveNoAgeButTheOldest() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':3,'oldest_wait_ms':20000"));
    story.ticket("queued", "/a", 9);
    assertThat(story.at("/a").ages(9, story.board.now()))
        .containsExactly(Tone.LATE, Tone.SOFT, Tone.SOFT, Tone.GOOD);
    story.board.tickets("/a", Story.json("[{'id':3,'waited_ms':20000},{'id':4,'waited_ms':2000}]"));
    story.board.tickets("/gone", Story.json("[{'id':3}]"));
    assertThat(story.at("/a").ages(9, story.board.now()))
        .containsExactly(Tone.LATE, Tone.LATE, Tone.FAIR, Tone.GOOD);
  }

  @Test
  void moreTicketsThanDots_areShownEvenly() {
    story.endpoints("/a");
    for (int at = 0; at < 100; at++) {
      story.ticket("queued", "/a", at).pass(1_000);
    }
    assertThat(story.at("/a").ages(5, story.board.now()))
        .containsExactly(Tone.BAD, Tone.BAD, Tone.LATE, Tone.LATE, Tone.FAIR);
    assertThat(story.at("/a").ages(0, story.board.now())).isEmpty();
    assertThat(story.at("/a").ages(1, story.board.now())).containsExactly(Tone.BAD);
  }

  @Test
  void eventsThatWereLost_doNotLeaveGhosts() {
    story.endpoints("/a").ticket("queued", "/a", 1).ticket("queued", "/a", 2);
    story.told("lost", "'events':12345");
    assertThat(line(0)).endsWith("lost  12.3K events, this was too slow");
    story.pass(5_000).endpoints(Story.endpoint("/a", "'queue_depth':1,'oldest_wait_ms':100"));
    assertThat(story.at("/a").ages(9, story.board.now())).containsExactly(Tone.GOOD);
  }

  @Test
  void ticketThatIsGoneUnheard_isForgottenByTheNextAnswer() {
    story.endpoints("/a").ticket("queued", "/a", 1).pass(20_000).ticket("queued", "/a", 2);
    story.endpoints(Story.endpoint("/a", "'queue_depth':1,'oldest_wait_ms':50"));
    assertThat(story.at("/a").ages(9, story.board.now())).containsExactly(Tone.GOOD);
  }

  @Test
  void usedTokens_addUp() {
    story.endpoints("/a");
    story.ticket("settled", "/a", 1, "'used_tokens':40,'overrun_tokens':0");
    assertThat(story.board.log(9)).isEmpty();
    story.ticket("settled", "/a", 2, "'used_tokens':60,'overrun_tokens':20");
    assertThat(story.at("/a").tokens()).isEqualTo(100);
    assertThat(line(0)).endsWith("#2 used 20 tokens more than reserved");
  }

  @Test
  void endpointThatIsGone_leaves_andANewOneIsHeardOfBefore() {
    story.endpoints("/a", "/b").ticket("queued", "/new", 1);
    assertThat(story.board.endpoints()).hasSize(3);
    assertThat(story.board.waiting()).isEqualTo(1);
    story.endpoints("/b");
    assertThat(story.board.endpoints()).hasSize(1);
  }

  @Test
  void gatewayThatRestarts_isToldOnceAndKeepsWhatWasSeen() {
    story.board.connect();
    story.endpoints("/a").ticket("queued", "/a", 1);
    story.ticket("released", "/a", 1, "'waited_ms':10").ticket("queued", "/a", 2);
    assertThat(story.board.connected()).isTrue();
    story.board.disconnect("the connection broke");
    story.board.disconnect("nobody answers");
    story.board.disconnect("nobody answers");
    assertThat(story.board.connected()).isFalse();
    assertThat(line(0)).endsWith("not connected  nobody answers");
    assertThat(line(1)).endsWith("not connected  the connection broke");
    story.board.connect();
    story.endpoints(Story.endpoint("/a", "'queue_depth':0"));
    assertThat(line(0)).endsWith("connected  again");
    assertThat(story.at("/a").depth()).isZero();
    assertThat(story.at("/a").waits().count()).isEqualTo(1);
  }

  @Test
  void otherEvents_areShownAsTheyCome() {
    story.told("config", "'applied':false,'detail':'a.yaml:1:1: no'");
    assertThat(line(0)).endsWith("config  kept the old one: a.yaml:1:1: no");
    story.told("config", "'applied':true,'detail':'3 endpoints'");
    assertThat(line(0)).endsWith("config  3 endpoints");
    story.told("sync", "'state':'cut_off','members':3,'gone':null,'more':{}");
    assertThat(line(0)).endsWith("sync  state=cut_off members=3");
    story.told("estimated", "'endpoint':'/a'");
    assertThat(line(0)).contains("sync");
  }

  @Test
  void eventsOfAnyShape_breakNothing() {
    for (String data : new String[] {"{}", "[]", "1", "null", "{'endpoint':3,'at':9}"}) {
      for (String name : new String[] {"queued", "released", "refused", "lost", "", "\u001b["}) {
        story.board.told(name, Story.json(data));
      }
    }
    story.board.endpoints(Story.json("{'detail':'no'}"));
    story.board.endpoints(Story.json("[{'path':'/a','queue_depth':'many'},7]"));
    assertThat(story.at("/a").depth()).isZero();
  }

  @Test
  void log_isBounded() {
    for (int at = 0; at < 2_000; at++) {
      story.ticket("served", "/a", at);
    }
    assertThat(story.board.log(5_000)).hasSize(500);
    assertThat(line(0)).contains("#1999");
    assertThat(story.board.events()).isEqualTo(2_000);
  }
}
