package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TopTableTest {
  private static String table(String json) {
    StringWriter out = new StringWriter();
    TopTable.print(Story.json(json), Story.BRIGHT, new PrintWriter(out));
    return out.toString();
  }

  @Test
  void endpoints_areOneALineInColumns() {
    String busy =
        "{'path':'/a','queue_depth':12,'oldest_wait_ms':3456,'served':1234567,'refused':1,"
            + "'expired':2,'cancelled':3,'utilization':0.456,'paused':true,"
            + "'config':{'algorithm':'strict','rate':2.5,'unit':'rpm'}}";
    assertThat(table("[" + busy + ",{'path':'/b c'}]").lines())
        .containsExactly(
            "WAITING  OLDEST_MS   SERVED  REFUSED  EXPIRED  CANCELLED  USE  STATE   ENDPOINT "
                + " LIMIT    DETAIL",
            "     12       3456  1234567        1        2          3  46%  paused  /a       "
                + " 2.5_rpm  -",
            "      0          0        0        0        0          0   0%  open    /b_c      -    "
                + "    -");
  }

  @Test
  void trouble_isOneWord() {
    String dead =
        "{'path':'/a','state':{'what':'failing','detail':'upstream eu: refused',"
            + "'until':'2026-11-22T15:44:35Z'}}";
    assertThat(table("[" + dead + "]").lines().toList().getLast().split("\\s+"))
        .endsWith("failing", "/a", "-", "upstream_eu:_refused,_next_try_15:44:35");
  }

  @Test
  void hostileName_isOnePlainWord() {
    String name = "/\\u001b[2J\\n \\t" + "x".repeat(3_000);
    assertThat(table("[{'path':'%s'}]".formatted(name)).lines())
        .hasSize(2)
        .last()
        .asString()
        .matches("[^\\x00-\\x1f]+")
        .contains("/�[2J�_�xxx");
  }

  @Test
  void noEndpoints_areTheHeads() {
    assertThat(table("[]").lines()).hasSize(1);
  }
}
