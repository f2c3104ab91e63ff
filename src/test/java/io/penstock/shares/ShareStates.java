package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.shares.MemoryShareStore.Rule;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.StateTable.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All states of three instances that share one limit. Each state is visited once, the nearest to
 * the start first.
 *
 * <p>An instance is rebuilt by all that it did and heard. Instances with equal fields are one, and
 * so are stores and messages; a state of the fleet names one store and, for each instance, what it
 * is, what it has sent and what it will hear.
 *
 * <p>The bounds: each instance sends a number of messages. Some of them are given up without their
 * answer, and each of these may come to the store at any time after that, or never. The store loses
 * its data at most once. No lease ends, nobody dies, and all requests are there from the start. An
 * instance spends at once what it may, while the invariants count the whole right.
 */
final class ShareStates {
  /** Rounds in which whoever waits is served, once all messages are answered. */
  static final int MOST_ROUNDS = 6;

  private static final int MEMBERS = 3;
  private static final Set<String> STORE_LEFT_OUT = Set.of("count", "firstCount", "beat");
  private static final String NAMES = "abc";
  private static final int SEND = -1;
  private static final int ARRIVE = -2;
  private static final int NONE = -1;

  /**
   * @param demands amounts of the requests of each instance
   * @param firstServed whether the first instance has been given its share before others wait
   * @param messages that each instance sends
   * @param lost messages that instances give up, in all
   */
  record Setting(
      long capacity,
      List<List<Long>> demands,
      boolean firstServed,
      int messages,
      int lost,
      boolean loses,
      Set<Rule> leftOut) {}

  /**
   * @param fault the broken invariant with the events before it, or null
   * @param rounds the most rounds that any state needed to serve all
   */
  record Visited(int states, int rounds, @Nullable String fault) {}

  /** An instance: all that happened to it, and what follows from that. */
  private static final class Local {
    private final int member;
    private final int[] history;
    private final long right;
    private final long spent;
    private final long waitsFor;
    private final int messages;
    private int afterSend = NONE;
    private int sent = NONE;
    private final Map<Integer, Integer> afterAnswer = new HashMap<>();

    Local(int member, int[] history, ReplayedMember of) {
      this.member = member;
      this.history = history;
      this.right = of.right();
      this.spent = of.spent();
      this.waitsFor = of.waitsFor();
      this.messages = (int) Arrays.stream(history).filter(each -> each == SEND).count();
    }
  }

  /**
   * @param sent the message that it waits for, or none
   * @param reply the answer to that, if the store carried it out, or none
   * @param late messages that it gave up, and that may still come to the store
   */
  private record Node(int local, int sent, int reply, List<Integer> late, int lost) {
    Node answered(int next) {
      return new Node(local, sent, next, late, lost);
    }

    Node without(int which) {
      List<Integer> rest = new ArrayList<>(late);
      rest.subList(which, which + 1).clear();
      return new Node(local, sent, reply, List.copyOf(rest), lost);
    }

    /** Returns it with nothing on its way. */
    Node atRest(int next) {
      return new Node(next, NONE, NONE, late, lost);
    }
  }

  private record Carried(int store, int reply) {}

  /** Numbers by number. */
  private static final class Numbers {
    private int[] all = new int[0];

    int get(int at) {
      return at < all.length ? all[at] : NONE;
    }

    void set(int at, int number) {
      if (at >= all.length) {
        int before = all.length;
        all = Arrays.copyOf(all, 2 * at + 16);
        Arrays.fill(all, before, all.length, NONE);
      }
      all[at] = number;
    }
  }

  private record Ids<T>(List<T> all, Map<Object, Integer> ids) {
    Ids() {
      this(new ArrayList<>(), new HashMap<>());
    }

    int of(Object key, T value) {
      Integer known = ids.putIfAbsent(key, all.size());
      if (known == null) {
        all.add(value);
        return all.size() - 1;
      }
      return known;
    }

    T get(int id) {
      return all.get(id);
    }
  }

  private final Setting setting;
  private final Ids<Message> messages = new Ids<>();
  private final Ids<Reply> replies = new Ids<>();
  private final Ids<Local> locals = new Ids<>();
  private final Ids<Node> nodes = new Ids<>();
  private final Ids<MemoryShareStore> stores = new Ids<>();
  private final Numbers afterSend = new Numbers();
  private final Numbers afterAnswer = new Numbers();
  private final List<long[]> stated = new ArrayList<>();
  private final List<Boolean> losses = new ArrayList<>();
  private final Map<Integer, Integer> flushed = new HashMap<>();
  private final Map<Long, Carried> carried = new HashMap<>();
  private final Map<State, Integer> rounds = new HashMap<>();
  private boolean afterLoss;
  private final StateTable states = new StateTable();
  private int most;
  private int before;

  ShareStates(Setting setting) {
    this.setting = setting;
  }

  private Node nodeOf(State state, int member) {
    return nodes.get(state.node(member));
  }

  private Local localOf(State state, int member) {
    return locals.get(nodeOf(state, member).local());
  }

  private State put(State state, int member, Node node) {
    return state.with(member, nodes.of(node, node));
  }

  /** Visits all states, until an invariant is broken. */
  Visited visit() {
    states.add(begun(), 0, 0);
    for (int at = 0; at < states.size(); at++) {
      State state = states.get(at);
      String broken = broken(state);
      if (broken != null) {
        return new Visited(states.size(), most, broken + path(at));
      }
      follow(state, at);
    }
    return new Visited(states.size(), most, null);
  }

  /** Returns the state in which all know each other, and requests have come. */
  private State begun() {
    MemoryShareStore store =
        new MemoryShareStore("run", () -> afterLoss ? "later" : "first", setting.leftOut());
    int[] begun = new int[MEMBERS];
    for (int each = 0; each < MEMBERS; each++) {
      Node node = new Node(local(each, new int[0], fresh(each)), NONE, NONE, List.of(), 0);
      begun[each] = nodes.of(node, node);
    }
    State state = new State(stored(store), begun[0], begun[1], begun[2]);
    for (int round = 0; round < 6; round++) {
      state = round(state);
    }
    for (int each = 0; each < MEMBERS; each++) {
      assertThat(replayed(localOf(state, each)).sync.isReady()).isTrue();
      state = arrived(state, each);
      if (each == 0 && setting.firstServed()) {
        state = round(state);
      }
    }
    before = localOf(state, 0).messages;
    return state;
  }

  private void follow(State state, int at) {
    int lost = 0;
    for (int each = 0; each < MEMBERS; each++) {
      lost += nodeOf(state, each).lost();
    }
    for (int each = 0; each < MEMBERS; each++) {
      Node node = nodeOf(state, each);
      boolean waits = node.sent() != NONE;
      if (locals.get(node.local()).messages - before < setting.messages()
          && (!waits || lost < setting.lost())) {
        states.add(sent(state, each), at, each);
      }
      if (waits && node.reply() == NONE) {
        states.add(carriedOut(state, each), at, MEMBERS + each);
      }
      if (node.reply() != NONE) {
        states.add(heard(state, each), at, 2 * MEMBERS + each);
      }
      for (int late = 0; late < node.late().size(); late++) {
        states.add(cameLate(state, each, late), at, (3 + late) * MEMBERS + each);
      }
    }
    if (setting.loses() && !isAfterLoss(state)) {
      states.add(state.withStore(flushed(state.store())), at, 100);
    }
  }

  private String path(int at) {
    List<String> path = new ArrayList<>();
    for (int each = at; each > 0; each = states.parent(each)) {
      int event = states.event(each);
      char name = NAMES.charAt(event % MEMBERS);
      path.add(
          switch (event / MEMBERS) {
            case 0 -> name + " sends";
            case 1 -> "store carries out " + name;
            case 2 -> name + " hears";
            case 33 -> "store loses all";
            default -> "store carries out late message " + (event / MEMBERS - 3) + " of " + name;
          });
    }
    return String.join(", ", path.reversed());
  }

  private @Nullable String broken(State state) {
    long rights = 0;
    long held = 0;
    boolean rests = true;
    for (int each = 0; each < MEMBERS; each++) {
      Local local = localOf(state, each);
      rights += local.right;
      held += Math.max(stated.get(state.store())[each], local.right);
      rests &= nodeOf(state, each).sent() == NONE;
    }
    if (rights > setting.capacity()) {
      return "instances may spend " + rights + ": ";
    }
    if (held > setting.capacity()) {
      return "store holds " + held + ": ";
    }
    int needed = rests ? rounds(withoutLate(state), 0) : 0;
    most = Math.max(most, needed);
    return needed > MOST_ROUNDS ? "somebody is not served: " : null;
  }

  private State withoutLate(State state) {
    State next = state;
    for (int each = 0; each < MEMBERS; each++) {
      int local = nodeOf(state, each).local();
      next = put(next, each, new Node(local, NONE, NONE, List.of(), 0));
    }
    return next;
  }

  /** Returns in how many rounds all are served, or what is left is too little for somebody. */
  private int rounds(State state, int depth) {
    Integer known = rounds.get(state);
    if (known != null) {
      return known;
    }
    long left = setting.capacity();
    long waitsFor = 0;
    for (int each = 0; each < MEMBERS; each++) {
      Local local = localOf(state, each);
      left -= local.spent;
      waitsFor = Math.max(waitsFor, local.waitsFor);
    }
    boolean served = waitsFor == 0 || waitsFor > left;
    int needed = served || depth > MOST_ROUNDS ? 0 : rounds(round(state), depth + 1);
    int all = served ? 0 : needed + 1;
    rounds.put(state, all);
    return all;
  }

  /** All send in turn, and are answered. */
  private State round(State state) {
    State next = state;
    for (int each = 0; each < MEMBERS; each++) {
      next = heard(carriedOut(sent(next, each), each), each);
    }
    return next;
  }

  private State sent(State state, int member) {
    int known = afterSend.get(state.node(member));
    if (known != NONE) {
      return state.with(member, known);
    }
    Node node = nodeOf(state, member);
    Local local = locals.get(node.local());
    if (local.afterSend == NONE) {
      ReplayedMember of = replayed(local);
      Message message = withoutNumbers(of.send());
      local.sent = messages.of(message, message);
      local.afterSend = local(member, and(local.history, SEND), of);
    }
    List<Integer> late = new ArrayList<>(node.late());
    boolean givesUp = node.sent() != NONE;
    if (givesUp && node.reply() == NONE) {
      late.add(node.sent());
    }
    int lost = node.lost() + (givesUp ? 1 : 0);
    Node next = new Node(local.afterSend, local.sent, NONE, List.copyOf(late), lost);
    int after = nodes.of(next, next);
    afterSend.set(state.node(member), after);
    return state.with(member, after);
  }

  private State carriedOut(State state, int member) {
    Node node = nodeOf(state, member);
    Carried next = carriedOut(state.store(), node.sent());
    return put(state.withStore(next.store()), member, node.answered(next.reply()));
  }

  private State cameLate(State state, int member, int which) {
    Node node = nodeOf(state, member);
    Carried next = carriedOut(state.store(), node.late().get(which));
    return put(state.withStore(next.store()), member, node.without(which));
  }

  private State heard(State state, int member) {
    int known = afterAnswer.get(state.node(member));
    if (known != NONE) {
      return state.with(member, known);
    }
    Node node = nodeOf(state, member);
    Local local = locals.get(node.local());
    Integer next = local.afterAnswer.get(node.reply());
    if (next == null) {
      ReplayedMember of = replayed(local);
      of.answer(replies.get(node.reply()));
      next = local(member, and(local.history, node.reply()), of);
      local.afterAnswer.put(node.reply(), next);
    }
    State after = put(state, member, node.atRest(next));
    afterAnswer.set(state.node(member), after.node(member));
    return after;
  }

  private State arrived(State state, int member) {
    Node node = nodeOf(state, member);
    Local local = locals.get(node.local());
    ReplayedMember of = replayed(local);
    setting.demands().get(member).forEach(of::arrive);
    return put(state, member, node.atRest(local(member, and(local.history, ARRIVE), of)));
  }

  private static int[] and(int[] history, int event) {
    int[] longer = Arrays.copyOf(history, history.length + 1);
    longer[history.length] = event;
    return longer;
  }

  private ReplayedMember fresh(int member) {
    return new ReplayedMember(NAMES.substring(member, member + 1), setting.capacity());
  }

  private ReplayedMember replayed(Local local) {
    ReplayedMember member = fresh(local.member);
    for (int event : local.history) {
      switch (event) {
        case SEND -> member.send();
        case ARRIVE -> setting.demands().get(local.member).forEach(member::arrive);
        default -> member.answer(replies.get(event));
      }
    }
    return member;
  }

  private int local(int member, int[] history, ReplayedMember of) {
    return locals.of(of.text(), new Local(member, history, of));
  }

  private Carried carriedOut(int store, int message) {
    return carried.computeIfAbsent(
        (long) store << 32 | message,
        key -> {
          afterLoss = losses.get(store);
          MemoryShareStore next = stores.get(store).inRun("run");
          Reply reply = withoutNumbers(next.carryOut(messages.get(message)));
          next.news();
          return new Carried(stored(next), replies.of(reply, reply));
        });
  }

  private int flushed(int store) {
    return flushed.computeIfAbsent(
        store,
        key -> {
          MemoryShareStore next = stores.get(store).inRun("run");
          next.flush();
          afterLoss = true;
          return stored(next);
        });
  }

  private boolean isAfterLoss(State state) {
    return losses.get(state.store());
  }

  private int stored(MemoryShareStore store) {
    int id = stores.of(StateText.of(STORE_LEFT_OUT, store) + afterLoss, store);
    if (id == losses.size()) {
      losses.add(afterLoss);
      long[] shares = new long[MEMBERS];
      for (int each = 0; each < MEMBERS; each++) {
        shares[each] = store.stated(ReplayedMember.ID, NAMES.substring(each, each + 1));
      }
      stated.add(shares);
    }
    return id;
  }

  /** Nobody dies, and no data goes back: numbers of beats of others, and of all, do not matter. */
  private static Message withoutNumbers(Message of) {
    Beat beat = of.beat();
    return new Message(
        of.member(),
        of.calls(),
        new Beat(
            beat.number(),
            beat.epoch(),
            0,
            beat.version(),
            beat.registered(),
            beat.doubts(),
            beat.remembers(),
            withoutNumbers(beat.known()),
            beat.still(),
            beat.forgotten(),
            beat.waits(),
            beat.waited(),
            beat.leaves(),
            beat.told(),
            beat.toldUpTo()));
  }

  private static Reply withoutNumbers(Reply of) {
    BeatAnswer beat = of.beat();
    return new Reply(
        of.answers().stream().map(ShareStates::withoutNumbers).toList(),
        new BeatAnswer(
            beat.epoch(),
            0,
            beat.version(),
            beat.settled(),
            beat.uncertain(),
            beat.listed(),
            beat.buried(),
            withoutNumbers(beat.peers()),
            beat.wanted(),
            beat.told(),
            beat.toldUpTo(),
            beat.complete()));
  }

  private static Answer withoutNumbers(Answer of) {
    List<Row> rows =
        of.rows().stream()
            .map(
                each ->
                    new Row(
                        each.member(),
                        0,
                        each.share(),
                        each.later(),
                        each.cell(),
                        each.decayMillis()))
            .toList();
    return new Answer(
        of.id(),
        of.outcome(),
        of.known(),
        of.share(),
        of.target(),
        of.crowded(),
        of.free(),
        of.capacity(),
        rows);
  }

  private static List<Peer> withoutNumbers(List<Peer> of) {
    return of.stream()
        .map(each -> new Peer(each.member(), 0, each.life(), each.stated(), 0))
        .sorted(Comparator.comparing(Peer::member))
        .toList();
  }

  /** Returns how many states of stores and of instances, and how many messages, there are. */
  String parts() {
    return "%d of the store, %d of instances, %d messages, %d answers"
        .formatted(
            stores.all().size(), locals.all().size(), messages.all().size(), replies.all().size());
  }
}
