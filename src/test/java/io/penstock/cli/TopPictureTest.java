package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that the picture in the README equals the screen drawn today. {@code mvn test
 * -Dtest=TopPictureTest -Dpenstock.picture=src/docs/top.svg} draws it again.
 */
class TopPictureTest {
  private static final Path COMMITTED = Path.of("src", "docs", "top.svg");
  private static final int COLUMNS = 126;
  private static final int LINES = 20;

  @Test
  void picture_drawnAgain_isTheCommittedOne() throws IOException {
    Story story = new Story();
    story.board.connect();
    endpoints(story);
    ticket(story, "queued", "/openai/chat", 1_061, "news", "566 tokens");
    ticket(story, "refused", "/team/agents", 1_062, "bad", "queue_full", "40 wait");
    ticket(story, "expired", "/openai/batch", 1_001, "bad", "max_wait", "after 600 s");
    ticket(story, "released", "/anthropic", 1_063, "plain", "waited 0ms", "to a", "model opus");
    ticket(story, "served", "/anthropic", 1_063, "good");
    ticket(story, "cancelled", "/openai/batch", 1_002, "fair");
    BoardScreen boardScreen = new BoardScreen(Story.BRIGHT, "http://127.0.0.1:8081");
    BoardView view = new BoardView();
    view.move(boardScreen.rows(story.board), 2);
    String drawn = TopPicture.draw(boardScreen.draw(story.board, view, COLUMNS, LINES), COLUMNS);
    String file = System.getProperty("penstock.picture");
    if (file != null) {
      Files.writeString(Path.of(file), drawn);
    }
    assertThat(COMMITTED).hasContent(drawn);
  }

  private static void ticket(
      Story story, String name, String path, long ticket, String tone, String... words) {
    String all = Stream.of(words).map(word -> "'" + word + "'").collect(Collectors.joining(","));
    story.ticket(name, path, ticket, "'tone':'%s','words':[%s]".formatted(tone, all));
  }

  private static void endpoints(Story story) {
    story.endpoints(
        of(
            "/openai/chat",
            "14,'oldest_wait_ms':5200,'ages':[3,10,1,0,0],'served':18204,'utilization':0.93",
            "820,'p90_ms':4600,'p99_ms':7600",
            "upstream east: tokens",
            "60rpm 90Ktpm"),
        of(
            "/openai/batch",
            "20,'oldest_wait_ms':114000,'ages':[0,1,2,8,9],'served':2210,'expired':3,"
                + "'utilization':0.88",
            "36100,'p90_ms':66500,'p99_ms':74100",
            "upstream batch: requests",
            "12rpm"),
        of(
            "/team/agents",
            "9,'oldest_wait_ms':9000,'ages':[2,4,3,0,0],'served':5411,'refused':17,"
                + "'utilization':0.64",
            "780,'p90_ms':1400,'p99_ms':1600",
            "its limit: requests",
            "30rpm"),
        of("/team/search", "0,'served':640,'paused':true,'utilization':0.05", "", "", "4conc"),
        of(
            "/anthropic",
            "0,'served':7733,'utilization':0.31",
            "1,'p90_ms':3,'p99_ms':90",
            "",
            "50rpm 30Kitpm"));
  }

  private static String of(String path, String depth, String waits, String held, String limit) {
    return Story.endpoint(
        path,
        "'queue_depth':%s,'waits':%s,'held_by':'%s','limit':'%s'"
            .formatted(depth, waits.isEmpty() ? "null" : "{'p50_ms':" + waits + "}", held, limit));
  }
}
