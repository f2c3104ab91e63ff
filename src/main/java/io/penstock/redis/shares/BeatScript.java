package io.penstock.redis.shares;

import io.penstock.redis.LuaScript;
import io.penstock.redis.shares.ScriptWords.Reply;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Still;
import io.penstock.shares.ShareStore.Told;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Arguments and answers of the script {@code beat.lua}, which keeps the instances at one master.
 */
final class BeatScript {
  static final LuaScript SCRIPT = LuaScript.read("beat.lua");

  private static final long KEEP_MILLIS = TimeUnit.DAYS.toMillis(2);

  /** Where the row begins in a share that is told. */
  private static final int ROW = 2;

  /** How many words tell a count: limit, instance, cell, amount, and for how long it counts. */
  private static final int COUNTED = 5;

  private BeatScript() {}

  /**
   * Returns the arguments.
   *
   * @param tag for a new epoch, different each time, without spaces
   * @param mostKept how much of what is told is kept
   * @param mostTold how much of what is told an answer has at most
   */
  static List<String> arguments(String member, Beat beat, String tag, int mostKept, int mostTold) {
    List<String> words = new ArrayList<>();
    words.add(ScriptWords.of(member));
    words.add(ScriptWords.of(KEEP_MILLIS));
    words.add(ScriptWords.of(beat.number()));
    words.add(ScriptWords.of(beat.epoch().number()));
    words.add(beat.epoch().tag());
    words.add(ScriptWords.of(beat.count()));
    words.add(ScriptWords.of(beat.version()));
    words.add(ScriptWords.of(beat.registered()));
    words.add(ScriptWords.of(beat.doubts()));
    words.add(ScriptWords.of(beat.remembers()));
    words.add(ScriptWords.of(beat.waited()));
    words.add(ScriptWords.of(beat.leaves()));
    words.add(ScriptWords.of(beat.toldUpTo()));
    words.add(tag);
    words.add(ScriptWords.of(mostKept));
    words.add(ScriptWords.of(mostTold));
    words.add(beat.waits().stream().map(ScriptWords::of).collect(Collectors.joining(" ")));
    words.add(ScriptWords.of(beat.known().size()));
    for (Peer each : beat.known()) {
      words.add(ScriptWords.of(each.member()));
      words.add(ScriptWords.of(each.number()));
      words.add(each.life().name().toLowerCase(Locale.ROOT));
      words.add(ScriptWords.of(each.ageMillis()));
    }
    words.add(ScriptWords.of(beat.still().size()));
    for (Still each : beat.still()) {
      words.add(ScriptWords.of(each.member()));
      words.add(ScriptWords.of(each.number()));
      words.add(ScriptWords.of(each.gone()));
    }
    words.add(ScriptWords.of(beat.forgotten().size()));
    beat.forgotten().forEach(each -> words.add(ScriptWords.of(each)));
    beat.told().forEach(each -> write(each, words));
    return words;
  }

  /** Adds what it is about, for how many milliseconds it counts, and what is told. */
  private static void write(Told told, List<String> words) {
    String about = ScriptWords.of(told.id()) + " " + ScriptWords.of(told.member());
    String left = ScriptWords.of(told.leftMillis());
    switch (told) {
      case Told.Share share ->
          words.addAll(List.of(about, left, String.join(" ", ScriptWords.of(share.row()))));
      case Told.Counted counted ->
          words.addAll(
              List.of(
                  about + " " + ScriptWords.of(counted.cell()),
                  left,
                  ScriptWords.of(counted.amount()) + " " + left));
    }
  }

  /**
   * Reads an answer.
   *
   * @throws IllegalArgumentException when the script never answers so
   */
  static BeatAnswer answer(@Nullable Object content) {
    Reply reply = new Reply(content);
    ShareEpoch epoch = new ShareEpoch(reply.number(), reply.word());
    long count = reply.number();
    long version = reply.number();
    boolean settled = reply.is();
    boolean uncertain = reply.is();
    boolean listed = reply.is();
    boolean buried = reply.is();
    long toldUpTo = reply.number();
    boolean complete = reply.is();
    List<Peer> peers = peers(reply.list());
    List<LimitId> wanted = new ArrayList<>();
    for (Reply ids = reply.list(); ids.hasNext(); ) {
      wanted.add(ScriptWords.id(ids.word()));
    }
    List<Told> told = new ArrayList<>();
    for (Reply shares = reply.list(); shares.hasNext(); ) {
      told.add(told(shares.word()));
    }
    return new BeatAnswer(
        epoch, count, version, settled, uncertain, listed, buried, peers, wanted, told, toldUpTo,
        complete);
  }

  private static List<Peer> peers(Reply reply) {
    List<Peer> peers = new ArrayList<>();
    while (reply.hasNext()) {
      String name = ScriptWords.name(reply.word());
      long number = reply.number();
      Life life = Life.valueOf(reply.word().toUpperCase(Locale.ROOT));
      peers.add(new Peer(name, number, life, reply.is(), reply.number()));
    }
    return peers;
  }

  private static Told told(String written) {
    List<String> words = List.of(written.split(" "));
    if (words.size() < ROW) {
      throw new IllegalArgumentException("news '" + written + "' is too short");
    }
    LimitId id = ScriptWords.id(words.getFirst());
    String member = ScriptWords.name(words.get(1));
    return words.size() == COUNTED
        ? new Told.Counted(id, member, number(words, 2), number(words, 3), number(words, 4))
        : new Told.Share(id, ScriptWords.row(member, -1, words, ROW));
  }

  private static long number(List<String> words, int at) {
    return Long.parseLong(words.get(at));
  }
}
