package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.TerminalStyle.Tone;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GatewayBoardTest {
  private final Story story = new Story();

  private String line(int fromNewest) {
    GatewayBoard.Line line = story.board.log(fromNewest + 1).get(fromNewest);
    return "%s %s %s %s".formatted(line.time(), line.what(), line.endpoint(), line.detail());
  }

  private List<Tone> ages(String path) {
    WatchedEndpoint endpoint = story.at(path);
    return LongStream.range(0, endpoint.depth()).mapToObj(endpoint::age).toList();
  }

  @Test
  void waitingTickets_haveTheColourOfTheirClass_oldestFirst() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':6,'ages':[1,1,2,1,1]"));
    assertThat(ages("/a"))
        .containsExactly(Tone.BAD, Tone.LATE, Tone.FAIR, Tone.FAIR, Tone.GOOD, Tone.FRESH);
  }

  @Test
  void ticketsWithoutAKnownAge_areGrey() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':2,'ages':[0,1]"), "/b");
    assertThat(ages("/a")).containsExactly(Tone.GOOD, Tone.SOFT);
    assertThat(ages("/b")).isEmpty();
    story.endpoints(Story.endpoint("/a", "'queue_depth':1"));
    assertThat(ages("/a")).containsExactly(Tone.SOFT);
  }

  @Test
  void changes_replaceTheirEndpointsOnly() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':3"), "/b", "/c");
    story.changes(false, "/b", Story.endpoint("/c", "'queue_depth':4"), "/d");
    assertThat(story.board.endpoints())
        .extracting(WatchedEndpoint::path)
        .containsExactly("/a", "/c", "/d");
    assertThat(story.board.sum("queue_depth")).isEqualTo(7);
    story.endpoints("/b");
    assertThat(story.board.endpoints()).hasSize(1);
  }

  @Test
  void figuresThatAreNotTold_areUnknown() {
    story.endpoints(Story.endpoint("/a", "'queue_depth':1,'queued_tokens':12345"));
    WatchedEndpoint endpoint = story.at("/a");
    assertThat(endpoint.count("queued_tokens")).isEqualTo("12.3K");
    assertThat(endpoint.count("queued_bytes")).isEqualTo("-");
    assertThat(endpoint.text("limit")).isEmpty();
    assertThat(endpoint.wait("p50_ms")).isEqualTo("-");
  }

  @Test
  void waits_areThoseThatTheGatewayCounts() {
    String waits = "'waits':{'p50_ms':10,'p90_ms':1500,'p99_ms':185000}";
    story.endpoints(Story.endpoint("/a", waits), Story.endpoint("/b", "'waits':null"));
    assertThat(story.at("/a").wait("p50_ms")).isEqualTo("10ms");
    assertThat(story.at("/a").wait("p90_ms")).isEqualTo("1.5s");
    assertThat(story.at("/a").wait("p99_ms")).isEqualTo("3m05s");
    assertThat(story.at("/b").wait("p50_ms")).isEqualTo("-");
  }

  @Test
  void event_isALineWithItsWordsAndItsColour() {
    story.ticket("released", "/a", 1, "'tone':'plain','words':['waited 1.5s','to u','model m']");
    assertThat(line(0)).isEqualTo("12:00:00 released /a #1 waited 1.5s, to u, model m");
    story.ticket("expired", "/a", 2, "'tone':'bad','words':['queue_timeout','too long']");
    assertThat(line(0)).isEqualTo("12:00:00 expired /a #2 queue_timeout, too long");
    assertThat(story.board.log(1).getFirst().tone()).isEqualTo(Tone.BAD);
    story.event("config", "'tone':'odd','words':['3 endpoints']");
    assertThat(line(0)).isEqualTo("12:00:00 config  3 endpoints");
    story.event("lost", "'events':7,'tone':'bad','words':['7 events']");
    assertThat(line(0)).isEqualTo("12:00:00 lost  7 events");
  }

  @Test
  void gatewayThatRestarts_isLoggedOnce_andItsStateReplaced() {
    story.board.connect();
    story.endpoints(Story.endpoint("/a", "'queue_depth':2"));
    assertThat(story.board.connected()).isTrue();
    story.board.disconnect("the connection broke");
    story.board.disconnect("nobody answers");
    story.board.disconnect("nobody answers");
    assertThat(story.board.connected()).isFalse();
    assertThat(line(0)).endsWith("not connected  nobody answers");
    assertThat(line(1)).endsWith("not connected  the connection broke");
    assertThat(story.at("/a").depth()).isEqualTo(2);
    story.board.connect();
    story.endpoints(Story.endpoint("/a", "'queue_depth':0"));
    assertThat(line(0)).endsWith("connected  again");
    assertThat(story.at("/a").depth()).isZero();
  }

  @Test
  void configuration_isThatOfTheEndpointAskedFor() {
    story.board.configure("/a", Story.json("{'rate':2}"));
    assertThat(story.board.config("/a").path("rate").asLong(0)).isEqualTo(2);
    assertThat(story.board.config("/b").isEmpty()).isTrue();
  }

  @Test
  void dataOfAnyShape_breaksNothing() {
    for (String data : new String[] {"{}", "[]", "1", "null", "{'endpoint':3,'at':9}"}) {
      for (String name : new String[] {"queued", "released", "lost", "", "\u001b["}) {
        story.board.event(name, Story.json(data));
      }
      for (String name : new String[] {"endpoints", "upstreams", "instance", "lost", ""}) {
        story.board.update(name, Story.json(data));
      }
    }
    story.ticket("queued", "/a", 1, "'words':7,'tone':[]");
    story.board.update("endpoints", Story.json("{'rows':[{'path':'/a','queue_depth':'many'},7]}"));
    assertThat(story.at("/a").depth()).isZero();
  }

  @Test
  void log_isBounded() {
    for (int at = 0; at < 2_000; at++) {
      story.ticket("served", "/a", at, "'words':[]");
    }
    assertThat(story.board.log(5_000)).hasSize(500);
    assertThat(line(0)).contains("#1999");
  }
}
