package io.penstock.provider.request;

import static io.penstock.provider.request.PrefixCases.MARK;
import static io.penstock.provider.request.PrefixCases.fingerprints;
import static io.penstock.provider.request.PrefixCases.messages;
import static io.penstock.provider.request.PrefixCases.stored;
import static io.penstock.provider.request.PrefixCases.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.prefix.Boundary;
import io.penstock.prefix.PromptPrefix;
import io.penstock.provider.Cases;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MarkedPrefixTest {
  private static final String HOUR = MARK.replace("}", ",\"ttl\":\"1h\"}");

  private static String block(String members) {
    return "{\"type\":\"text\",\"text\":\"" + members + "\"}";
  }

  /** Returns the block with a further member at its end. */
  private static String with(String member, String block) {
    return block.substring(0, block.length() - 1) + "," + member + "}";
  }

  private static String marked(String block) {
    return with(MARK, block);
  }

  private static String user(String... blocks) {
    return "{\"role\":\"user\",\"content\":[" + String.join(",", blocks) + "]}";
  }

  private static String tool(String name) {
    return "{\"name\":\""
        + name
        + "\",\"description\":\""
        + text(name, 5_000)
        + "\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"cache_control\":{"
        + "\"type\":\"number\",\"enum\":[1,2,-3.50,1e3]}}}}";
  }

  private static String body(String tools, String system, String messages) {
    return "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":9,\"tools\":["
        + tools
        + "],\"system\":["
        + system
        + "],\"messages\":["
        + messages
        + "]}";
  }

  private static String said(String messages) {
    return "{\"model\":\"claude-sonnet-4-5\",\"messages\":[" + messages + "]}";
  }

  private static String blocks(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> block(text("b" + i, 5_000)))
        .collect(Collectors.joining(","));
  }

  @Test
  void noMark_nothingIsCached() {
    assertThat(messages(body(tool("a"), block("s"), user(block("u"))))).isEmpty();
    assertThat(messages("{\"model\":\"m\",\"messages\":[]}")).isEmpty();
  }

  @Test
  void mark_inEachSection_isStoredWithAllBefore() {
    List<Boundary> boundaries =
        messages(body(marked(tool("a")), marked(block("sys")), user(marked(block("hello")))));
    assertThat(boundaries).hasSize(3).allMatch(Boundary::stored);
    assertThat(boundaries).extracting(Boundary::lifetimeSeconds).containsOnly(300);
    assertThat(boundaries).extracting(Boundary::tokens).isSorted();
    assertThat(fingerprints(boundaries)).doesNotHaveDuplicates();
  }

  @Test
  void lastBoundary_afterTheWholePrompt_hasAsManyTokensAsTheRequest() {
    String body = body(tool("a"), block("sys"), user(block("x"), marked(block(text("y", 9_001)))));
    WeighedRequest.Request request =
        PrefixCases.request(DialectTable.ANTHROPIC, PrefixCases.MESSAGES, body);
    // the marks are no text, but the schema of a tool counts with them
    assertThat(request.prefix().boundaries().getLast().tokens())
        .isEqualTo(request.content().textTokens() + request.content().otherTokens());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{\"a\":1}}",
        "{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"done\"}",
        "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"QUJD\"}}",
        "{\"type\":\"document\",\"source\":{\"type\":\"text\",\"data\":\"QUJD\"}}",
        "{\"type\":\"something_new\",\"x\":[[{}]]}",
      })
  void mark_onAnyBlock_isStored(String block) {
    String long1 = block(text("a", 5_000));
    List<Boundary> boundaries = messages(said(user(long1, marked(block))));
    assertThat(boundaries).hasSize(2);
    assertThat(stored(boundaries)).containsExactly(boundaries.get(1));
    String first = block.replaceFirst("\\{", "{" + MARK + ",");
    assertThat(messages(said(user(long1, first)))).isEqualTo(boundaries);
  }

  @Test
  void mark_withinTheResultOfATool_countsForTheResult() {
    String inner = "{\"type\":\"text\",\"text\":\"" + text("r", 5_000) + "\"}";
    String result = "{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[%s]}";
    assertThat(messages(said(user(result.formatted(marked(inner))))))
        .isEqualTo(messages(said(user(marked(result.formatted(inner))))))
        .hasSize(1);
  }

  @Test
  void mark_forAnHour_hasThatLifetime() {
    String content = block(text("a", 5_000));
    assertThat(messages(said(user(with(HOUR, content)))).getFirst())
        .matches(Boundary::stored)
        .extracting(Boundary::lifetimeSeconds)
        .isEqualTo(3_600);
    assertThat(messages(said(user(with(HOUR.replace("1h", "5m"), content)))).getFirst())
        .extracting(Boundary::lifetimeSeconds)
        .isEqualTo(300);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"cache_control\":null",
        "\"cache_control\":5",
        "\"cache_control\":true",
        "\"cache_control\":\"ephemeral\"",
        "\"cache_control\":[]",
        "\"cache_control\":[{\"type\":\"ephemeral\"}]",
        "\"cache_control\":{}",
        "\"cache_control\":{\"type\":\"persistent\"}",
        "\"cache_control\":{\"type\":{\"type\":\"ephemeral\"}}",
        "\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"2d\"}",
        "\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":3600}",
        "\"cache_control\":{\"x\":{\"cache_control\":{\"type\":\"ephemeral\"}}}",
        "\"Cache_Control\":{\"type\":\"ephemeral\"}",
        "\"x\":{\"cache_control\":{\"type\":\"ephemeral\"}}",
        "\"input\":{\"a\":[[{\"b\":{\"cache_control\":{\"type\":\"ephemeral\"}}}]]}",
      })
  void mark_notAsTheProviderTakesIt_isNone(String member) {
    String content = block(text("a", 5_000));
    assertThat(messages(said(user(with(member, content))))).isEmpty();
    assertThat(messages(body(with(member, tool("a")), with(member, content), ""))).isEmpty();
    assertThat(messages("{\"model\":\"m\"," + member + ",\"messages\":[" + user(content) + "]}"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"model\":\"m\",\"metadata\":{%1$s},\"messages\":[]}",
        "{\"model\":\"m\",\"messages\":[{\"role\":{%1$s},\"content\":\"%2$s\"}]}",
        "{\"model\":\"m\",\"messages\":[{%1$s,\"role\":\"user\",\"content\":\"%2$s\"}]}",
        "{\"model\":\"m\",\"messages\":{%1$s,\"content\":[{\"text\":\"%2$s\"}]}}",
        "{\"model\":\"m\",\"messages\":{\"a\":{\"content\":[{\"text\":\"%2$s\",%1$s}]}}}",
        "{\"model\":\"m\",\"messages\":[{\"content\":{\"text\":\"%2$s\",%1$s}}]}",
        "{\"model\":\"m\",\"messages\":[{\"content\":[[{\"text\":\"%2$s\",%1$s}]]}]}",
        "{\"model\":\"m\",\"messages\":[{\"other\":[{\"text\":\"%2$s\",%1$s}]}]}",
        "{\"model\":\"m\",\"system\":{\"text\":\"%2$s\",%1$s}}",
        "{\"model\":\"m\",\"tool_choice\":{\"text\":\"%2$s\",%1$s}}",
        "{\"model\":\"m\",\"tools\":{\"name\":\"%2$s\",%1$s}}",
        "{\"model\":\"m\",\"tools\":[[{\"name\":\"%2$s\",%1$s}]]}",
      })
  void mark_inAnOddPlace_isNone(String body) {
    assertThat(messages(body.formatted(MARK, text("a", 5_000)))).isEmpty();
  }

  @Test
  void mark_atDepth20_isNone_andPartOfTheContent() {
    String deep = "{\"a\":".repeat(20) + "{%s}" + "}".repeat(20);
    String block =
        "{\"type\":\"tool_use\",\"name\":\"" + text("a", 5_000) + "\",\"input\":" + deep + "}";
    List<Boundary> with = messages(said(user(marked(block.formatted(MARK)))));
    List<Boundary> without = messages(said(user(marked(block.formatted("")))));
    assertThat(with).hasSize(1);
    assertThat(fingerprints(with)).isNotEqualTo(fingerprints(without));
  }

  @Test
  void mark_onAThoughtOrAnEmptyText_isNone() {
    String before = block(text("a", 5_000));
    assertThat(messages(said(user(before, marked(block("")))))).isEmpty();
    String thought = "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}";
    assertThat(messages(said(user(before, marked(thought))))).isEmpty();
  }

  @Test
  void marks_moreThanFour_onlyTheFirstFourCount() {
    String all = IntStream.range(0, 9).mapToObj(i -> marked(tool("t" + i))).collect(joining());
    List<Boundary> boundaries = messages(body(all, marked(block("s")), user(marked(block("u")))));
    assertThat(boundaries).hasSize(4).allMatch(Boundary::stored);
    assertThat(stored(messages(body(tool("a"), marked(block("s")), user(blocks(30), all)))))
        .hasSize(4);
  }

  private static Collector<CharSequence, ?, String> joining() {
    return Collectors.joining(",");
  }

  @Test
  void blocksBeforeAMark_asManyAsTheProviderLooksAt_areKept() {
    List<Boundary> all = messages(said(user(blocks(40) + "," + marked(block("last")))));
    assertThat(all).hasSize(20);
    assertThat(stored(all)).containsExactly(all.getLast());
    List<Boundary> earlier = messages(said(user(blocks(21) + "," + marked(block("x")))));
    assertThat(fingerprints(all)).doesNotContainAnyElementsOf(fingerprints(earlier).subList(0, 20));
    List<Boundary> nextTurn =
        messages(said(user(blocks(21) + "," + block("x") + "," + marked(block("y")))));
    assertThat(fingerprints(nextTurn)).contains(earlier.getLast().fingerprint());
  }

  @Test
  void blocksBeforeAMark_reachIntoEarlierSections() {
    String tools = IntStream.range(0, 30).mapToObj(i -> tool("t" + i)).collect(joining());
    List<Boundary> boundaries =
        messages(body(tools, block("s"), user(block("a"), marked(block("b")))));
    assertThat(boundaries).hasSize(20);
    List<Boundary> atTheTools =
        messages(body(tools.substring(0, tools.length() - 1) + "," + MARK + "}", block("s"), ""));
    assertThat(fingerprints(boundaries)).contains(atTheTools.getLast().fingerprint());
  }

  @Test
  void callsOfToolsInARow_areOnePosition() {
    String calls =
        IntStream.range(0, 50)
            .mapToObj(i -> "{\"type\":\"tool_use\",\"id\":\"" + i + "\",\"input\":{}}")
            .collect(joining());
    String results = calls.replace("tool_use\"", "tool_result\"");
    String start = block(text("a", 5_000));
    List<Boundary> before = messages(said(user(marked(start))));
    List<Boundary> after = messages(said(user(start, calls, results, marked(block("b")))));
    assertThat(after).hasSize(4);
    assertThat(fingerprints(after)).contains(before.getLast().fingerprint());
  }

  @Test
  void markMoves_earlierFingerprintsStay() {
    String a = block(text("a", 5_000));
    String b = block("b");
    String c = block("c");
    List<Boundary> first = messages(said(user(a, marked(b))));
    List<Boundary> second = messages(said(user(a, b) + "," + user(marked(c))));
    assertThat(fingerprints(second)).startsWith(fingerprints(first).toArray(Long[]::new));
    assertThat(second.get(1).stored()).isFalse();
  }

  @Test
  void textInPlaceOfAList_isTheSameAsTheList() {
    String text = text("a", 5_000);
    String list = said(user(block(text)) + "," + user(marked(block("b"))));
    String string = list.replace("[" + block(text) + "]", "\"" + text + "\"");
    assertThat(string).isNotEqualTo(list);
    assertThat(messages(string)).isEqualTo(messages(list)).hasSize(2);
    String systemList = body("", block(text), user(marked(block("b"))));
    String systemString = systemList.replace("[" + block(text) + "]", "\"" + text + "\"");
    assertThat(systemString).isNotEqualTo(systemList);
    assertThat(messages(systemString)).isEqualTo(messages(systemList)).hasSize(2);
  }

  @Test
  void membersInAnotherOrder_sameBoundaries() {
    List<String> members = new ArrayList<>();
    members.add("\"model\":\"claude-sonnet-4-5\"");
    members.add("\"tools\":[" + tool("a") + "," + marked(tool("b")) + "]");
    members.add("\"system\":[" + marked(block("s")) + "]");
    members.add("\"tool_choice\":{\"type\":\"auto\"}");
    members.add("\"metadata\":{\"user_id\":\"u\"}");
    members.add("\"messages\":[" + user(block("x"), marked(block("y"))) + "]");
    List<Boundary> expected = messages("{" + String.join(",", members) + "}");
    assertThat(expected).hasSize(5);
    Random random = new Random(7);
    for (int round = 0; round < 100; round++) {
      Collections.shuffle(members, random);
      assertThat(messages("{" + String.join(",", members) + "}")).isEqualTo(expected);
    }
  }

  @Test
  void parametersThatThePromptDependsOn_changeWhatComesAfter() {
    String body = body(marked(tool("a")), marked(block("s")), user(marked(block("u"))));
    List<Long> usual = fingerprints(messages(body));
    List<Long> choosing =
        fingerprints(messages(body.replaceFirst("\\{", "{\"tool_choice\":{\"type\":\"any\"},")));
    assertThat(choosing.subList(0, 2)).isEqualTo(usual.subList(0, 2));
    assertThat(choosing.get(2)).isNotEqualTo(usual.get(2));
    List<Long> fast = fingerprints(messages(body.replaceFirst("\\{", "{\"speed\":\"fast\",")));
    assertThat(fast.getFirst()).isEqualTo(usual.getFirst());
    assertThat(fast.get(1)).isNotEqualTo(usual.get(1));
    List<Long> formed =
        fingerprints(
            messages(body.replaceFirst("\\{", "{\"output_format\":{\"type\":\"json_schema\"},")));
    assertThat(formed.getFirst()).isEqualTo(usual.getFirst());
    assertThat(formed.subList(1, 3)).doesNotContainAnyElementsOf(usual);
    List<Long> served =
        fingerprints(
            messages(body.replaceFirst("\\{", "{\"mcp_servers\":[{\"url\":\"https://a\"}],")));
    assertThat(served).hasSize(3).doesNotContainAnyElementsOf(usual);
    assertThat(fingerprints(messages(body.replaceFirst("\\{", "{\"temperature\":1,"))))
        .isEqualTo(usual);
    assertThat(fingerprints(messages(body.replace("claude-sonnet-4-5", "claude-sonnet-5"))))
        .isEqualTo(usual);
  }

  @ParameterizedTest
  @CsvSource({
    "claude-sonnet-4-5, 1024",
    "claude-opus-5, 512",
    "claude-opus-4-7, 2048",
    "anthropic.claude-opus-4-5-20251101-v1:0, 4096",
    "claude-haiku-4-5@20251001, 4096",
    "claude-3-5-haiku-20241022, 2048",
    "unknown, 1024"
  })
  void prompt_belowTheMinimumOfTheModel_isNotStored(String model, int tokens) {
    // four tokens are those of the message
    for (int bytes : new int[] {(tokens - 4) * 4, (tokens - 4) * 4 - 4}) {
      List<Boundary> boundaries =
          messages(said(user(marked(block(text("a", bytes))))).replace("claude-sonnet-4-5", model));
      assertThat(boundaries).hasSize(1);
      assertThat(boundaries.getFirst().stored()).isEqualTo(bytes == (tokens - 4) * 4);
      assertThat(boundaries.getFirst().tokens()).isEqualTo(4 + bytes / 4);
    }
  }

  @Test
  void automaticCaching_marksTheLastBlockThatCanBeStored() {
    String a = block(text("a", 5_000));
    String thought = "{\"type\":\"thinking\",\"thinking\":\"hm\"}";
    String body = said(user(a, block("b"), thought));
    String automatic = body.replaceFirst("\\{", "{" + HOUR + ",");
    List<Boundary> boundaries = messages(automatic);
    assertThat(boundaries).isEqualTo(messages(said(user(a, with(HOUR, block("b"))))));
    assertThat(boundaries.getLast().lifetimeSeconds()).isEqualTo(3_600);
    String atTheEnd = body.substring(0, body.length() - 1) + "," + HOUR + "}";
    assertThat(messages(atTheEnd)).isEqualTo(boundaries);
  }

  @Test
  void automaticCaching_besideMarks_takesTheFourthPlaceAtMost() {
    String a = block(text("a", 5_000));
    String three = body(marked(tool("x")), marked(block("s")), user(marked(a), block("b")));
    assertThat(stored(messages(three.replaceFirst("\\{", "{" + MARK + ",")))).hasSize(4);
    String four =
        body(marked(tool("x")), marked(block("s")), user(marked(a), marked(block("b")), a));
    assertThat(messages(four.replaceFirst("\\{", "{" + MARK + ","))).isEqualTo(messages(four));
    String last = said(user(marked(a)));
    assertThat(messages(last.replaceFirst("\\{", "{" + MARK + ","))).isEqualTo(messages(last));
  }

  @Test
  void structure_different_hasAnotherFingerprint() {
    List<String> inputs =
        List.of(
            "{\"a\":\"bc\"}",
            "{\"ab\":\"c\"}",
            "{\"a\":[12]}",
            "{\"a\":[1,2]}",
            "{\"a\":[1],\"b\":2}",
            "{\"a\":{\"b\":2}}",
            "{\"a\":\"12\"}",
            "{\"a\":12}",
            "{\"a\":12.0}",
            "{\"a\":null}",
            "{\"a\":[]}",
            "{\"a\":{}}",
            "{}");
    List<Long> all = new ArrayList<>();
    for (String input : inputs) {
      String call = "{\"type\":\"tool_use\",\"input\":" + input + "}";
      all.addAll(fingerprints(messages(said(user(marked(call))))));
    }
    assertThat(all).hasSize(inputs.size()).doesNotHaveDuplicates();
  }

  @Test
  void sameBlock_inAnotherSection_hasAnotherFingerprint() {
    String one = marked(block(text("a", 5_000)));
    assertThat(fingerprints(messages("{\"model\":\"m\",\"tools\":[" + one + "]}")))
        .doesNotContainAnyElementsOf(
            fingerprints(messages("{\"model\":\"m\",\"system\":[" + one + "]}")));
  }

  @Test
  void escapes_otherwise_mayDiffer_butNamesAreRead() {
    String a = block(text("a", 5_000));
    assertThat(messages(said(user(marked(a))).replace("cache_control", "cache\\u005fcontrol")))
        .isEqualTo(messages(said(user(marked(a)))))
        .hasSize(1);
  }

  @Test
  void pieces_whiteSpaceAndPlaceOfTheMark_changeNothing() {
    for (int seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      RandomPrompt prompt = new RandomPrompt(random);
      PromptPrefix expected =
          PrefixCases.request(DialectTable.ANTHROPIC, PrefixCases.MESSAGES, prompt.body(random))
              .prefix();
      for (int most : new int[] {1, 3, 17, 200, 5_000}) {
        String body = prompt.body(random);
        String written = random.nextBoolean() ? body : PrefixCases.spaced(body, random);
        assertThat(
                PrefixCases.inPieces(
                    DialectTable.ANTHROPIC, PrefixCases.MESSAGES, written, most, random))
            .as("seed %d, pieces of at most %d bytes: %s", seed, most, written)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void byteChanged_changesAllAfterIt_andNothingBefore() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RandomPrompt prompt = new RandomPrompt(random);
      List<Boundary> before = messages(prompt.body(random));
      int changed = prompt.change(random);
      List<Boundary> after = messages(prompt.body(random));
      assertThat(after).hasSameSizeAs(before);
      List<Integer> ordinals = prompt.ordinals(before.size());
      for (int i = 0; i < before.size(); i++) {
        assertThat(after.get(i).fingerprint() == before.get(i).fingerprint())
            .as("seed %d: boundary %d, block %d changed", seed, i, changed)
            .isEqualTo(ordinals.get(i) < changed);
      }
    }
  }

  @Test
  void body_cutAnywhere_isNoFault() {
    String body =
        body(marked(tool("a")), marked(block("s")), user(marked(block("u")), marked(block("v"))))
            .replaceFirst("\\{", "{" + MARK + ",");
    byte[] bytes = Cases.bytes(body);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThat(Cases.weigh(DialectTable.ANTHROPIC, PrefixCases.MESSAGES, cut))
          .isInstanceOf(WeighedRequest.Malformed.class);
    }
  }

  @Test
  void blocks_verySmallAndVeryMany_leaveFewBoundaries() {
    String many = "{},".repeat(200_000) + marked(block(text("a", 5_000)));
    assertThat(messages(said(user(many)))).hasSize(20);
  }

  /** A prompt with few sections, in which every block has a text of its own. */
  private static final class RandomPrompt {
    private static final int TOOLS = 0;
    private static final int SYSTEM = 1;
    private final List<List<String>> sections = new ArrayList<>();
    private final List<List<Integer>> marks = new ArrayList<>();

    RandomPrompt(Random random) {
      for (int section = 0; section < 4; section++) {
        List<String> blocks = new ArrayList<>();
        for (int i = random.nextInt(section == SYSTEM ? 3 : 5); i >= 0; i--) {
          blocks.add(text(section + "é\\\"\\u00e9🌊" + i, 20 + random.nextInt(90)));
        }
        sections.add(blocks);
        marks.add(new ArrayList<>());
      }
      marks.get(random.nextInt(4)).add(0);
      sections.get(3).add("the end");
      marks.get(3).add(sections.get(3).size() - 1);
    }

    /** Changes one character, and returns the number of its block. */
    int change(Random random) {
      int block = random.nextInt(size());
      int at = block;
      for (List<String> section : sections) {
        if (at < section.size()) {
          section.set(at, section.get(at) + "x");
          return block;
        }
        at -= section.size();
      }
      throw new AssertionError("no block " + block);
    }

    private int size() {
      return sections.stream().mapToInt(List::size).sum();
    }

    /** Returns the numbers of the blocks at which the last boundaries are. */
    List<Integer> ordinals(int boundaries) {
      return IntStream.range(size() - boundaries, size()).boxed().toList();
    }

    /** Writes the prompt with its marks at random places in their blocks. */
    String body(Random random) {
      StringBuilder messages = new StringBuilder();
      for (int section = 2; section < 4; section++) {
        messages.append(section == 2 ? "" : ",").append(user(written(section, random)));
      }
      return MarkedPrefixTest.body(
          written(TOOLS, random), written(SYSTEM, random), messages.toString());
    }

    private String written(int section, Random random) {
      List<String> blocks = new ArrayList<>();
      for (int i = 0; i < sections.get(section).size(); i++) {
        List<String> members = new ArrayList<>();
        members.add("\"type\":\"custom\"");
        members.add("\"n\":[1, 2.50,true,null]".replace(" ", ""));
        members.add("\"text\":\"" + sections.get(section).get(i) + "\"");
        members.add("\"cache_controls\":" + random.nextInt(1));
        if (marks.get(section).contains(i)) {
          members.add(random.nextInt(members.size() + 1), MARK);
        }
        // in a tool, the null would count as text
        if (section != TOOLS && random.nextInt(5) == 0) {
          members.add(random.nextInt(members.size() + 1), "\"cache_control\":null");
        }
        blocks.add("{" + String.join(",", members) + "}");
      }
      return String.join(",", blocks);
    }
  }
}
