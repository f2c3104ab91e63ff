package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Checks that the picture in the README equals the screen drawn today. {@code mvn test
 * -Dtest=TopPictureTest -Dpenstock.picture=src/docs/top.svg} draws it again.
 */
class TopPictureTest {
  private static final Path COMMITTED = Path.of("src", "docs", "top.svg");
  private static final int COLUMNS = 116;
  private static final int LINES = 25;

  @Test
  void picture_drawnAgain_isTheCommittedOne() throws IOException {
    Story story = new Story();
    story.board.connect();
    story.pass(60_000);
    for (String path : new String[] {"/openai/chat", "/openai/batch", "/team/agents"}) {
      queue(story, path, path.length() * 3 - 22);
    }
    endpoints(story, 15);
    for (int at = 0; at < 40; at++) {
      story.ticket("released", "/openai/chat", 900 + at, "'waited_ms':" + at * at * 5);
      story.ticket("released", "/openai/batch", 940 + at, "'waited_ms':" + at * 1_900);
      story.ticket("released", "/team/agents", 980 + at, "'waited_ms':" + at * 40);
      story.ticket("released", "/anthropic", 1_020 + at, "'waited_ms':0");
      story.ticket("settled", "/openai/chat", 900 + at, "'used_tokens':731");
      story.ticket("settled", "/openai/batch", 940 + at, "'used_tokens':2210");
      story.ticket("settled", "/anthropic", 1_020 + at, "'used_tokens':412");
    }
    endpoints(story, 19);
    story.ticket("queued", "/openai/chat", 1_061, "'input_tokens':310,'output_tokens':256");
    story.ticket("refused", "/team/agents", 1_062, "'reason':'queue_full','detail':'40 wait'");
    story.ticket("expired", "/openai/batch", 1_001, "'reason':'max_wait','detail':'after 600 s'");
    story.ticket("released", "/anthropic", 1_063, "'waited_ms':0,'upstream':'a','model':'opus'");
    story.ticket("served", "/anthropic", 1_063);
    story.ticket("cancelled", "/openai/batch", 1_002);
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

  private static void queue(Story story, String path, int tickets) {
    for (int at = 0; at < tickets; at++) {
      story.ticket("queued", path, at).pass(path.contains("batch") ? 6_000 : 400);
    }
  }

  private static void endpoints(Story story, int batch) {
    story.endpoints(
        of(
            "/openai/chat",
            "11,'oldest_wait_ms':120000,'served':18204,'utilization':0.93",
            "60,'tpm_limit':90000"),
        of(
            "/openai/batch",
            batch + ",'oldest_wait_ms':114000,'served':2210,'expired':3,'utilization':0.88",
            "12"),
        of(
            "/team/agents",
            "9,'oldest_wait_ms':9000,'served':5411,'refused':17,'utilization':0.64",
            "30"),
        of(
            "/team/search",
            "0,'served':640,'paused':true,'utilization':0.05",
            "0,'max_concurrency':4"),
        of("/anthropic", "0,'served':7733,'utilization':0.31", "50,'itpm_limit':30000"));
  }

  private static String of(String path, String depth, String limit) {
    return Story.endpoint(
        path,
        "'queue_depth':%s,'config':{'algorithm':'none','upstreams':[{'rpm_limit':%s}]}"
            .formatted(depth, limit));
  }
}
