package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.mock.PromptCache.Use;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class PromptCacheTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final String MARK = "{'type':'ephemeral'}";
  private static final String HOUR = "{'type':'ephemeral','ttl':'1h'}";

  private final PromptCache cache = new PromptCache(10, 5 * MINUTE);

  private static MockPrompt prompt(String json) {
    return MockPrompt.of(JsonMapper.shared().readTree(json.replace('\'', '"')));
  }

  private static String text(String text, String mark) {
    String marked = mark.isEmpty() ? "" : ",'cache_control':" + mark;
    return "{'type':'text','text':'" + text + "'" + marked + "}";
  }

  /** Returns a prompt of a system block and a message of 100 and 7 tokens, without those of it. */
  private static MockPrompt marked(String mark, String question) {
    return prompt(
        "{'system':[%s],'messages':[{'role':'user','content':'%s'}]}"
            .formatted(text("x".repeat(400), mark), question));
  }

  private Use ask(MockPrompt prompt, long now) {
    Use use = cache.look(prompt, now);
    cache.begin(use, now);
    assertThat(use.read() + use.counted()).isEqualTo(prompt.tokens());
    return use;
  }

  private static List<Long> parts(Use use) {
    return List.of(use.read(), use.written(), use.writtenForHour(), use.uncached());
  }

  @Test
  void firstRequest_writes_nextOneReads() {
    assertThat(parts(ask(marked(MARK, "abc"), 0))).containsExactly(0L, 100L, 0L, 5L);
    assertThat(parts(ask(marked(MARK, "other"), 1))).containsExactly(100L, 0L, 0L, 6L);
  }

  @Test
  void entry_isNotUsableBeforeTheAnswerBegins() {
    Use first = cache.look(marked(MARK, "abc"), 0);
    assertThat(parts(cache.look(marked(MARK, "abc"), 1))).containsExactly(0L, 100L, 0L, 5L);
    cache.begin(first, 2);
    assertThat(parts(cache.look(marked(MARK, "abc"), 3))).containsExactly(100L, 0L, 0L, 5L);
  }

  @Test
  void entry_livesFiveMinutesFromItsLastUse() {
    ask(marked(MARK, "abc"), 0);
    assertThat(ask(marked(MARK, "abc"), 5 * MINUTE - 1).read()).isEqualTo(100);
    assertThat(ask(marked(MARK, "abc"), 10 * MINUTE - 2).read()).isEqualTo(100);
    assertThat(ask(marked(MARK, "abc"), 15 * MINUTE - 2).read()).isZero();
  }

  @Test
  void entryForAnHour_livesAnHour_andIsCountedApart() {
    assertThat(parts(ask(marked(HOUR, "abc"), 0))).containsExactly(0L, 0L, 100L, 5L);
    assertThat(ask(marked(MARK, "abc"), 60 * MINUTE - 1).read()).isEqualTo(100);
    assertThat(ask(marked(MARK, "abc"), 120 * MINUTE - 1).read()).isZero();
  }

  @Test
  void anHourThenFiveMinutes_writesEachPartOnce() {
    MockPrompt prompt =
        prompt(
            "{'system':[%s],'messages':[{'role':'user','content':[%s,%s]}]}"
                .formatted(
                    text("x".repeat(400), HOUR), text("y".repeat(200), MARK), text("zzzz", "")));
    assertThat(parts(ask(prompt, 0))).containsExactly(0L, 54L, 100L, 1L);
    assertThat(parts(ask(prompt, 6 * MINUTE))).containsExactly(100L, 54L, 0L, 1L);
    assertThat(parts(ask(prompt, 7 * MINUTE))).containsExactly(154L, 0L, 0L, 1L);
  }

  @Test
  void shortPrefix_isNotCached() {
    MockPrompt nine = prompt("{'system':[" + text("x".repeat(36), MARK) + "]}");
    assertThat(parts(ask(nine, 0))).containsExactly(0L, 0L, 0L, 9L);
    assertThat(parts(ask(nine, 1))).containsExactly(0L, 0L, 0L, 9L);
    MockPrompt ten = prompt("{'system':[" + text("x".repeat(40), MARK) + "]}");
    assertThat(parts(ask(ten, 2))).containsExactly(0L, 10L, 0L, 0L);
  }

  private static MockPrompt blocks(int count) {
    List<String> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(text("x".repeat(40) + i, i == count - 1 ? MARK : ""));
    }
    return prompt("{'system':[" + String.join(",", blocks) + "]}");
  }

  @Test
  void growingPrompt_isReadUpToTheLastEntry_within20Blocks() {
    Use first = ask(blocks(3), 0);
    assertThat(ask(blocks(22), 1).read()).isEqualTo(first.written());
    assertThat(ask(blocks(42), 2).read()).isZero();
  }

  @Test
  void changedBlock_isNotFound() {
    ask(marked(MARK, "abc"), 0);
    MockPrompt changed = prompt("{'system':[" + text("x".repeat(399) + "y", MARK) + "]}");
    assertThat(ask(changed, 1).read()).isZero();
    MockPrompt asMessage =
        prompt("{'messages':[{'role':'user','content':[" + text("x".repeat(400), MARK) + "]}]}");
    assertThat(ask(asMessage, 2).read()).isZero();
  }

  @Test
  void notReadable_writesAgain() {
    ask(marked(MARK, "abc"), 0);
    cache.readable(false);
    assertThat(parts(ask(marked(MARK, "abc"), 1))).containsExactly(0L, 100L, 0L, 5L);
    cache.readable(true);
    assertThat(ask(marked(MARK, "abc"), 2).read()).isEqualTo(100);
  }

  @Test
  void moreEntriesThanKept_dropsTheOneThatWasUsedLeastRecently() {
    for (int i = 0; i < PromptCache.MOST_ENTRIES; i++) {
      ask(prompt("{'system':[" + text("x".repeat(36) + (10_000 + i), MARK) + "]}"), i);
    }
    MockPrompt first = prompt("{'system':[" + text("x".repeat(36) + 10_000, MARK) + "]}");
    MockPrompt second = prompt("{'system':[" + text("x".repeat(36) + 10_001, MARK) + "]}");
    assertThat(ask(first, 20_000).read()).isEqualTo(11);
    ask(marked(MARK, "one more"), 20_001);
    assertThat(cache.look(first, 20_002).read()).isEqualTo(11);
    assertThat(cache.look(second, 20_002).read()).isZero();
  }
}
