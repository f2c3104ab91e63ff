package io.penstock.prefix;

import io.penstock.cost.Cost;
import io.penstock.cost.RecentEntries;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import io.penstock.tenant.SharedState;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Predicts from earlier answers how much of a prompt its provider will read from a cache.
 *
 * <p>For each upstream and model it knows which beginnings of prompts are in the cache: an answer
 * confirms them, and each use renews their lifetime. Nothing is expected until answers to the same
 * key, model and upstream have read what they could; the lowest of the last {@value
 * CacheTrust#ANSWERS} counts. Where some of the upstreams have a beginning and some have not, or
 * where a prompt has none that can be told from others, the share that recent answers to the same
 * key and model read is expected instead, once {@value #LEAST_ANSWERS} of them stated it.
 *
 * <p>A beginning that is new here is expected to be read by nobody. All instants are nanoseconds of
 * one monotonic clock. Safe from any thread.
 */
public final class CacheLearner {
  /** Number of pairs of an upstream and a model that are remembered. */
  static final int MAX_TABLES = 500;

  /** Number of pairs of a key and a model, at each upstream, that are remembered. */
  static final int MAX_KEYS = 10_000;

  static final int LEAST_ANSWERS = 4;

  /** Number of answers in a row after which an upstream is taken to cache nothing for a key. */
  static final int UNUSED = 3;

  /** Most beginnings from which ways to go on are remembered. */
  static final int MAX_STARTS = 20_000;

  /**
   * The part of what a cache has from which it counts as read: providers round what they read down
   * to whole blocks.
   */
  private static final double READ = 0.95;

  private static final long SECOND_NANOS = 1_000_000_000L;

  private record Place(String upstream, String model) {}

  private record Reader(String key, String model, @Nullable String upstream) {}

  private record Start(String model, long fingerprint) {}

  @SharedState("prompts in caches")
  private final RecentEntries<Place, PrefixTable> tables =
      new RecentEntries<>(MAX_TABLES, PrefixTable::new);

  @SharedState("trust in caches")
  private final RecentEntries<Reader, CacheTrust> trust =
      new RecentEntries<>(MAX_KEYS, CacheTrust::new);

  @SharedState("trust in caches")
  private final RecentEntries<Reader, CacheTrust> shares =
      new RecentEntries<>(MAX_KEYS, CacheTrust::new);

  /** The numbers of answers in a row that show that nothing is cached. */
  @SharedState("trust in caches")
  private final RecentEntries<Reader, AtomicInteger> unused =
      new RecentEntries<>(MAX_KEYS, AtomicInteger::new);

  @SharedState("ways on from a beginning")
  private final RecentEntries<Start, Continuations> continuations =
      new RecentEntries<>(MAX_STARTS, Continuations::new);

  /**
   * A request, as far as it matters to caches.
   *
   * @param content its content as the body states it, to which the sizes of the beginnings belong
   * @param prefix the beginnings of its prompt
   * @param key the key it came with
   */
  public record Prompt(RequestContent content, PromptPrefix prefix, String key) {
    /** Returns how large a part of the prompt is before a boundary, 0 to 1. */
    private double part(Boundary boundary) {
      double all = (double) content.textTokens() + (double) content.otherTokens();
      return all <= 0 ? 0 : Math.min(1, (double) boundary.tokens() / all);
    }
  }

  /**
   * Returns the cost with the part of its input that is expected to be read from a cache.
   *
   * @param upstreams the ids of the upstreams that may serve the request
   */
  public Cost expect(Cost cost, Prompt prompt, List<String> upstreams, long now) {
    String model = prompt.content().model();
    if (model == null || upstreams.isEmpty()) {
      return cost;
    }
    double least = 1;
    int known = 0;
    for (String upstream : upstreams) {
      PrefixTable.Held held = held(upstream, model, prompt, now);
      if (held != null) {
        known++;
        CacheTrust trusted = trust.find(new Reader(prompt.key(), model, upstream));
        double part = prompt.part(held.boundary());
        least = Math.min(least, trusted == null ? 0 : part * trusted.lowest(1));
      }
    }
    boolean isNew = known == 0 && !prompt.prefix().boundaries().isEmpty();
    if (isNew) {
      return cost.withCached(0);
    }
    double part = known == upstreams.size() ? least : share(prompt.key(), model);
    return cost.withCached((long) (part * (double) cost.inputTokens()));
  }

  /** Returns the longest beginning of a prompt that an upstream has in its cache, or null. */
  private PrefixTable.@Nullable Held held(String upstream, String model, Prompt prompt, long now) {
    PrefixTable table = tables.find(new Place(upstream, model));
    return table == null ? null : table.longest(prompt.prefix(), now);
  }

  private double share(String key, String model) {
    CacheTrust shared = shares.find(new Reader(key, model, null));
    return shared == null ? 0 : shared.lowest(LEAST_ANSWERS);
  }

  /**
   * Learns from the input that an answer states; to be called once for each answer. Returns whether
   * clearly more or less is expected now of prompts of the same key and model, if a cache has their
   * beginning.
   *
   * @param model the model that answered, as clients name it
   * @param sentNanos when the request was sent: what became known later it could not read
   */
  public boolean stated(
      Prompt prompt,
      String upstream,
      String model,
      TokenUsage tokenUsage,
      long sentNanos,
      long now) {
    boolean changed = false;
    if (tokenUsage.inputTokens() > 0) {
      double share = (double) tokenUsage.cacheReadTokens() / (double) tokenUsage.inputTokens();
      changed = shares.touch(new Reader(prompt.key(), model, null)).add(share, LEAST_ANSWERS);
    }
    if (prompt.prefix().boundaries().isEmpty()) {
      return changed;
    }
    PrefixTable table = tables.touch(new Place(upstream, model));
    PrefixTable.Held held = table.longest(prompt.prefix(), now);
    boolean couldRead = held != null && held.tokens() > 0 && held.sinceNanos() <= sentNanos;
    Reader reader = new Reader(prompt.key(), model, upstream);
    if (held != null && couldRead) {
      double read = (double) tokenUsage.cacheReadTokens() / (double) held.tokens();
      changed |= trust.touch(reader).add(read >= READ ? 1 : read, 1);
    }
    long cached = tokenUsage.cacheReadTokens() + tokenUsage.cacheWriteTokens();
    if (cached > 0 || couldRead || !prompt.prefix().automatic()) {
      noteUse(reader, cached > 0 || prompt.prefix().stored() == null);
    }
    remember(table, prompt, cached, now);
    return changed;
  }

  private void noteUse(Reader reader, boolean caches) {
    AtomicInteger answers = caches ? unused.find(reader) : unused.touch(reader);
    if (answers != null) {
      answers.updateAndGet(number -> caches ? 0 : Math.min(UNUSED, number + 1));
    }
  }

  /**
   * Notes which beginnings are in the cache now: those up to the longest that the provider stores,
   * which has all that was read and written. Where a provider states what it writes and has
   * nothing, all are forgotten.
   */
  private static void remember(PrefixTable table, Prompt prompt, long cached, long now) {
    Boundary longest = prompt.prefix().stored();
    boolean automatic = prompt.prefix().automatic();
    for (Boundary each : prompt.prefix().boundaries()) {
      if (longest == null || (cached == 0 && !automatic)) {
        table.remove(each);
      } else if (each.stored()) {
        double part = (double) each.tokens() / (double) Math.max(1, longest.tokens());
        long tokens = automatic ? each.tokens() : (long) (part * (double) cached);
        table.add(each, tokens, prompt.key(), now);
      }
    }
  }

  /**
   * Notes that a provider refused a request because of its limits although there was room for what
   * was expected of it: it may have read less, and nobody will know.
   */
  public void doubted(Prompt prompt, String upstream, String model) {
    trust.touch(new Reader(prompt.key(), model, upstream)).add(0, 1);
    shares.touch(new Reader(prompt.key(), model, null)).add(0, LEAST_ANSWERS);
  }

  /**
   * Returns the shortest beginning that the provider would store and that none of the upstreams has
   * in its cache; null when there is none, and where the last {@value #UNUSED} answers of one to
   * the same key have shown that it caches nothing.
   */
  public @Nullable Boundary shortestNew(
      Prompt prompt, String model, List<String> upstreams, long now) {
    long known = 0;
    for (String upstream : upstreams) {
      PrefixTable.Held held = held(upstream, model, prompt, now);
      known = held == null ? known : Math.max(known, held.boundary().tokens());
      AtomicInteger answers = unused.find(new Reader(prompt.key(), model, upstream));
      if (answers != null && answers.get() >= UNUSED) {
        return null;
      }
    }
    for (Boundary each : prompt.prefix().boundaries()) {
      if (each.stored() && each.tokens() > known) {
        return each;
      }
    }
    return null;
  }

  /**
   * The upstream to which a prompt should go because of caches.
   *
   * @param upstream the upstream that has the longest beginning in its cache; null when none is to
   *     be preferred
   * @param cachedTokens the size of what it has, as the provider counts it
   * @param common the fingerprint of a beginning that the prompts of one conversation share:
   *     without a preferred upstream, it decides by consistent hashing
   */
  public record Home(@Nullable String upstream, long cachedTokens, long common) {}

  private record Best(String upstream, PrefixTable.Held held) {}

  /**
   * Returns where a prompt should go; null when the provider stores nothing of it. To be called
   * once for each prompt that arrives, because it counts in how many ways prompts go on.
   *
   * <p>No upstream is preferred for a beginning from which prompts went on in more different ways
   * than there are upstreams, within the lifetime of an entry. Instructions that all conversations
   * share are such a beginning: otherwise the upstream that was first would get all conversations.
   * Such a prompt is placed by the boundary that comes next in it. Prompts are counted when they
   * arrive and not when they are answered, so that those which arrive together are told apart.
   */
  public @Nullable Home home(Prompt prompt, String model, List<String> upstreams, long now) {
    Boundary shortest = shortestStored(prompt.prefix());
    if (shortest == null) {
      return null;
    }
    Best best = best(prompt, model, upstreams, now);
    Boundary start = best == null ? shortest : best.held().boundary();
    Boundary next = nextAfter(start, prompt.prefix());
    int ways =
        continuations
            .touch(new Start(model, start.fingerprint()))
            .seen(next.fingerprint(), start.lifetimeSeconds() * SECOND_NANOS, now);
    if (ways > Math.min(upstreams.size(), Continuations.MOST - 1)) {
      return new Home(null, 0, next.fingerprint());
    }
    return best == null
        ? new Home(null, 0, shortest.fingerprint())
        : new Home(best.upstream(), best.held().tokens(), shortest.fingerprint());
  }

  /** Returns the number of beginnings from which ways to go on are remembered. */
  int starts() {
    return continuations.size();
  }

  private @Nullable Best best(Prompt prompt, String model, List<String> upstreams, long now) {
    Best best = null;
    for (String upstream : upstreams) {
      PrefixTable.Held held = held(upstream, model, prompt, now);
      if (held != null && (best == null || held.tokens() > best.held().tokens())) {
        best = new Best(upstream, held);
      }
    }
    return best;
  }

  private static @Nullable Boundary shortestStored(PromptPrefix prefix) {
    for (Boundary each : prefix.boundaries()) {
      if (each.stored()) {
        return each;
      }
    }
    return null;
  }

  /** Returns the first boundary after another; that one itself if it is the last. */
  private static Boundary nextAfter(Boundary start, PromptPrefix prefix) {
    for (Boundary each : prefix.boundaries()) {
      if (each.tokens() > start.tokens()) {
        return each;
      }
    }
    return start;
  }
}
