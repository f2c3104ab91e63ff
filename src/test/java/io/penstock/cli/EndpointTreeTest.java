package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EndpointTreeTest {
  private static List<String> rows(TerminalStyle terminalStyle, String... paths) {
    return EndpointTree.rows(
            Stream.of(paths).map(path -> new WatchedEndpoint(path, Story.json("{}"))).toList(),
            terminalStyle)
        .stream()
        .map(row -> row.branches() + row.label() + (row.endpoint() == null ? " -" : ""))
        .toList();
  }

  @Test
  void paths_areATreeOfSegments() {
    assertThat(rows(Story.BRIGHT, "/a", "/a/b/c", "/a/b/d", "/a/z", "/demo", "/x/y/z"))
        .containsExactly("/a", "┣ b -", "┃ ┣ c", "┃ ┗ d", "┗ z", "/demo", "/x/y/z");
    assertThat(rows(new TerminalStyle(false, false), "/a/b", "/a/c"))
        .containsExactly("/a -", "| b", "` c");
  }

  @Test
  void root_isARowOfItsOwn() {
    assertThat(rows(Story.BRIGHT, "/", "/a")).containsExactly("/", "/a");
    assertThat(rows(Story.BRIGHT)).isEmpty();
  }

  @Test
  void deepPaths_areIndentedSoFar() {
    String[] paths = new String[40];
    paths[0] = "/0";
    for (int at = 1; at < paths.length; at++) {
      paths[at] = paths[at - 1] + "/" + at;
    }
    assertThat(rows(Story.BRIGHT, paths)).hasSize(40).allMatch(row -> row.length() <= 16);
  }

  @Test
  void longChain_isOneRow() {
    assertThat(rows(Story.BRIGHT, "/x".repeat(2_000))).containsExactly("/x".repeat(2_000));
  }
}
