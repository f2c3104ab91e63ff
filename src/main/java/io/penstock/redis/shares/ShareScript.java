package io.penstock.redis.shares;

import io.penstock.redis.LuaScript;
import io.penstock.redis.shares.ScriptWords.Reply;
import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Outcome;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareUse;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Arguments and answers of the script {@code share.lua}, which keeps the shares of one limit. */
final class ShareScript {
  static final LuaScript SCRIPT = LuaScript.read("share.lua");

  /** In a stored row, the numbers of a {@link Row} come after these. */
  private static final int BEFORE_ROW = 7;

  /** In a stored row, the place of the beat. */
  private static final int BEAT = 2;

  private ShareScript() {}

  /** Returns the key of the hash of a limit. */
  static String key(String namespace, LimitId id) {
    // no part of a limit contains the sign, so that no two limits have the same key
    return namespace + ":" + id.text() + "#" + id.field();
  }

  /**
   * Returns the arguments.
   *
   * @param channel on which it is published that other instances should look; empty for none
   */
  static List<String> arguments(String member, Call call, String channel) {
    ShareUse use = call.use();
    List<String> words = new ArrayList<>();
    words.add(ScriptWords.of(member));
    words.add(ScriptWords.of(use.keptMillis()));
    words.add(ScriptWords.of(call.sequence()));
    words.add(ScriptWords.of(call.beat()));
    words.add(ScriptWords.of(call.epoch().number()));
    words.add(call.epoch().tag());
    words.add(ScriptWords.of(call.raises()));
    words.add(ScriptWords.of(call.held()));
    words.add(ScriptWords.of(call.later()));
    words.add(ScriptWords.of(use.capacity()));
    words.add(ScriptWords.of(use.first()));
    words.add(ScriptWords.of(use.need(call.held())));
    words.add(ScriptWords.of(use.cell().number()));
    words.add(ScriptWords.of(use.cell().length()));
    words.add(ScriptWords.of(use.cell().earlier()));
    words.add(ScriptWords.of(use.cell().sinceMillis()));
    words.add(ScriptWords.of(use.isLong()));
    words.add(ScriptWords.of(use.decayMillis()));
    words.add(ScriptWords.of(use.least()));
    words.add(ScriptWords.of(call.absent().size()));
    words.add(channel);
    words.add(ScriptWords.of(member) + " " + ScriptWords.of(call.id()));
    for (Absent each : call.absent()) {
      words.add(ScriptWords.of(each.member()));
      words.add(ScriptWords.of(each.number()));
      words.add(ScriptWords.of(each.ageMillis()));
      words.add(ScriptWords.of(each.released()));
    }
    for (Row each : call.heard()) {
      words.add(ScriptWords.of(each.member()));
      words.addAll(ScriptWords.of(each));
    }
    return words;
  }

  /**
   * Reads what was published: the limit at which others should look.
   *
   * @return null when this member caused it
   * @throws IllegalArgumentException when the script never publishes that
   */
  static @Nullable LimitId published(String text, String member) {
    int space = text.indexOf(' ');
    if (space < 0) {
      throw new IllegalArgumentException("publication '" + text + "' has no limit");
    }
    LimitId id = ScriptWords.id(text.substring(space + 1));
    return ScriptWords.name(text.substring(0, space)).equals(member) ? null : id;
  }

  /**
   * Reads an answer.
   *
   * @throws IllegalArgumentException when the script never answers so
   */
  static Answer answer(LimitId id, @Nullable Object content) {
    Reply reply = new Reply(content);
    if (!reply.is()) {
      return Answer.ignored(id, Outcome.LATE);
    }
    boolean known = reply.is();
    long share = reply.number();
    long target = reply.number();
    boolean crowded = reply.is();
    long free = reply.number();
    long capacity = reply.number();
    reply.skip(); // whether it was published
    List<Row> rows = new ArrayList<>();
    while (reply.hasNext()) {
      String name = ScriptWords.name(reply.word());
      rows.add(row(name, List.of(reply.word().split(" "))));
    }
    return new Answer(id, Outcome.TAKEN, known, share, target, crowded, free, capacity, rows);
  }

  private static Row row(String name, List<String> words) {
    if (words.size() <= BEAT) {
      throw new IllegalArgumentException("row '" + words + "' is too short");
    }
    return ScriptWords.row(name, Long.parseLong(words.get(BEAT)), words, BEFORE_ROW);
  }
}
