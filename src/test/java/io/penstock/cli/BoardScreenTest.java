package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;

class BoardScreenTest {
  private static final String ADDRESS = "http://127.0.0.1:8081";

  private final Story story = new Story();
  private final BoardView view = new BoardView();
  private final BoardScreen screen = new BoardScreen(Story.BRIGHT, ADDRESS);

  private List<String> draw(int width, int height) {
    return lines(screen, width, height);
  }

  private List<String> lines(BoardScreen on, int width, int height) {
    return on.draw(story.board, view, width, height).stream()
        .map(line -> line.toString().stripTrailing())
        .toList();
  }

  private void busy() {
    story.board.connect();
    story.endpoints(
        Story.endpoint(
            "/openai/chat",
            "'queue_depth':3,'oldest_wait_ms':12000,'served':12345,'refused':3,'expired':1,"
                + "'utilization':0.93,'ages':[1,0,1,1,0],'held_by':'upstream east: tokens',"
                + "'limit':'60rpm 90Ktpm of 2'"),
        Story.endpoint("/openai/embeddings", "'paused':true,'limit':'2 rps'"),
        Story.endpoint(
            "/permits", "'utilization':0.75,'waits':{'p50_ms':20,'p90_ms':900,'p99_ms':1500}"));
    story.ticket("queued", "/openai/chat", 7, "'tone':'news','words':['120 tokens']");
    story.ticket("released", "/permits", 8, "'tone':'plain','words':['waited 1.5s']");
    story.ticket("served", "/permits", 8, "'tone':'good','words':[]");
  }

  @Test
  void board_of80By24_showsAllThatMatters() {
    busy();
    assertThat(draw(80, 24))
        .hasSize(24)
        .startsWith(
            " penstock  3 waiting, 12.3K served, 4 refused  http://127.0.0.1:8081       live",
            "ENDPOINT     WAITING                OLDEST   P50   P90   P99 USED SERVED REFUSED",
            "/openai",
            "┣ chat             3 ●●●             12.0s     -     -     -  93%  12.3K       4",
            "┗ embeddings       0 ‖                   -     -     -     -   0%      0       0",
            "/permits           0                     -  20ms 900ms  1.5s  75%      0       0")
        .contains(
            "12:00:00 queued     /openai/chat #7 120 tokens",
            "12:00:00 released   /permits #8 waited 1.5s")
        .endsWith("q quit  p pause  r resume  space test  i info  jk move");
  }

  @Test
  void endpointThatIsDead_saysWhyAndUntilWhen_andTheHeadCountsItsUpstream() {
    busy();
    story.board.update(
        "upstreams",
        Story.json("[{'id':'eu','health':'unhealthy'},{'id':'us','health':'healthy'}]"));
    story.board.update("instance", Story.json("{'version':'1.2','stopping':true}"));
    story.changes(
        false,
        "",
        Story.endpoint(
            "/eu",
            "'state':{'what':'failing','detail':'upstream eu: connection refused',"
                + "'until':'2026-11-22T15:44:35Z'}"),
        Story.endpoint(
            "/held", "'state':{'what':'paused','detail':'paused by an operator','until':null}"));
    assertThat(draw(60, 24))
        .anyMatch(line -> line.startsWith("/eu") && line.contains("upstream eu: connec"));
    assertThat(draw(120, 24))
        .anyMatch(
            line ->
                line.startsWith("/eu")
                    && line.contains("upstream eu: connection refused, next try 15:44:35"))
        .anyMatch(line -> line.startsWith("/held") && line.contains("paused by an operator"))
        .first()
        .asString()
        .startsWith(" penstock 1.2  3 waiting, 12.3K served, 4 refused, 1 upstream down  http")
        .endsWith("stopping");
  }

  @Test
  void wideBoard_hasMoreColumns() {
    busy();
    List<String> lines = draw(140, 24);
    assertThat(lines.get(1)).contains("OLDEST", "P99", "HELD BY", "LIMIT");
    assertThat(lines.get(3)).endsWith("60rpm 90Ktpm of 2");
    assertThat(lines.get(4)).endsWith("2 rps");
  }

  @Test
  void narrowBoard_keepsNamesDotsAndUse() {
    busy();
    assertThat(draw(40, 12))
        .hasSize(12)
        .contains(
            " penstock  3 waiting, 12.3K serve… live",
            "ENDPOINT     WAITING                USED",
            "┣ chat             3 ●●●             93%")
        .endsWith("q quit  p pause  r resume  space test");
  }

  @Test
  void anySize_isNeverLeft() {
    busy();
    Random random = new Random(7);
    for (int each = 0; each < 500; each++) {
      int width = 1 + random.nextInt(each < 250 ? 50 : 250);
      int height = 1 + random.nextInt(60);
      if (random.nextInt(10) == 0) {
        view.toggleInfo();
      }
      view.skip(random.nextInt(9) - 3);
      List<AttributedString> lines = screen.draw(story.board, view, width, height);
      assertThat(lines.size()).as("%d x %d", width, height).isLessThanOrEqualTo(height);
      assertThat(lines)
          .as("%d x %d", width, height)
          .allMatch(line -> line.columnLength() <= width, "fits");
    }
  }

  @Test
  void hostileNames_staySmallAndPlain() {
    String hostile = "/" + "\\u001b[2J\\u202e\\u0007\\n漢".repeat(600);
    story.endpoints(
        Story.endpoint(hostile, "'queue_depth':1,'limit':'\\u001b[31m','held_by':'\\u0000'"));
    story.board.configure(hostile, Story.json("{'\\u001b[31m':'\\u0000'}"));
    story.event("\u001b]0;x\u0007", "'endpoint':'" + hostile + "','x\\u001b':'\\u009b'");
    story.event("refused", "'endpoint':'%s','ticket':1,'words':['\\u001bc']".formatted(hostile));
    for (boolean info : new boolean[] {false, true}) {
      assertThat(screen.draw(story.board, view, 80, 24))
          .as("info %s", info)
          .allMatch(line -> line.columnLength() <= 80)
          .allMatch(line -> line.toString().chars().noneMatch(Character::isISOControl), "plain");
      view.toggleInfo();
    }
  }

  @Test
  void withoutColoursAndUnicode_isAscii() {
    busy();
    List<AttributedString> lines =
        new BoardScreen(new TerminalStyle(false, false), ADDRESS).draw(story.board, view, 100, 30);
    assertThat(lines).allMatch(line -> line.toString().matches("[ -~]*"), "ASCII");
    assertThat(lines)
        .allMatch(line -> !line.toAnsi().matches("(?s).*\u001b\\[[0-9;]*[34][0-9].*"), "no colour");
    assertThat(lines.get(3).toString()).contains(" Oo.", "#");
  }

  @Test
  void gatewayThatIsGone_isSaidAtTheTop_andTheScreenKept() {
    assertThat(draw(80, 24).getFirst()).endsWith("connecting");
    busy();
    story.board.disconnect("nobody answers");
    assertThat(draw(80, 24))
        .anyMatch(line -> line.contains("chat") && line.contains("●●●"))
        .first()
        .asString()
        .endsWith("not connected: trying again");
  }

  @Test
  void moreEndpointsThanLines_showTheSelectedOne() {
    String[] paths = new String[1_000];
    for (int at = 0; at < paths.length; at++) {
      paths[at] = "/e%03d".formatted(at);
    }
    story.endpoints(paths);
    assertThat(draw(80, 24)).anyMatch(line -> line.startsWith("/e000"));
    view.move(screen.rows(story.board), 500);
    assertThat(draw(80, 24))
        .anyMatch(line -> line.startsWith("/e500"))
        .noneMatch(line -> line.startsWith("/e000"));
    view.move(screen.rows(story.board), 5_000);
    assertThat(draw(80, 24)).anyMatch(line -> line.startsWith("/e999"));
    view.move(screen.rows(story.board), -5_000);
    assertThat(draw(80, 24)).anyMatch(line -> line.startsWith("/e000"));
  }

  @Test
  void selection_skipsSegmentsAndFollowsItsEndpoint() {
    busy();
    List<EndpointTree.Row> rows = screen.rows(story.board);
    assertThat(view.endpoint(rows)).isSameAs(story.at("/openai/chat"));
    view.move(rows, 1);
    view.move(rows, 1);
    view.move(rows, 1);
    assertThat(view.endpoint(rows)).isSameAs(story.at("/permits"));
    story.endpoints("/a", "/permits");
    assertThat(view.endpoint(screen.rows(story.board))).isSameAs(story.at("/permits"));
    story.endpoints("/a");
    assertThat(view.endpoint(screen.rows(story.board))).isSameAs(story.at("/a"));
    story.endpoints();
    assertThat(view.endpoint(screen.rows(story.board))).isNull();
    view.move(screen.rows(story.board), 1);
    assertThat(draw(80, 24)).hasSize(24);
  }

  @Test
  void info_showsFiguresUpstreamsAndSettings() {
    busy();
    story.board.configure(
        "/openai/chat",
        Story.json(
            "{'algorithm':'none','dialect':'openai','upstreams':[{'id':'east'},{'id':'west'}]}"));
    story.board.update(
        "upstreams",
        Story.json(
            "[{'id':'east','url':'https://e','health':'unhealthy','last_error':{'what':'503'},"
                + "'pools':[{'name':'gpt','paused_until':'2026-11-22T12:01:00Z','limits':["
                + "{'measure':'requests','effective':60,'used_global':45,'held':0,'remaining':15}]"
                + "}]}]"));
    view.toggleInfo();
    assertThat(draw(80, 30))
        .contains(
            "waiting 3 (- tokens, - bytes), oldest 12.0s, held by upstream east: tokens",
            "served 12345, refused 3, expired 1, cancelled 0",
            "upstream east, https://e, unhealthy, last error: 503",
            "upstream west",
            "  gpt is paused until 2026-11-22T12:01:00Z",
            "  █████████     75% gpt: 45 of 60 requests, 15 left",
            "settings",
            "  algorithm: none                         dialect: openai")
        .anyMatch(line -> line.startsWith("━━ /openai/chat ━━"));
    assertThat(draw(80, 12)).noneMatch(line -> line.startsWith("settings"));
    view.skip(2);
    assertThat(draw(80, 12)).noneMatch(line -> line.startsWith("served"));
    view.skip(1_000);
    assertThat(draw(80, 12)).anyMatch(line -> line.startsWith("settings"));
  }
}
