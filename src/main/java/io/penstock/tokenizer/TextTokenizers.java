package io.penstock.tokenizer;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingRegistry;
import com.knuddels.jtokkit.api.EncodingType;
import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.json.Utf8Counter;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Counts tokens of text as OpenAI's models do. Short texts are counted on the calling thread;
 * longer ones, and the loading of tables, which takes half a second, are left to a few threads with
 * a bounded queue. If a text cannot be counted now, the rule of thumb remains: nothing waits for a
 * table, or for room in the queue. Safe from any thread.
 */
public final class TextTokenizers implements AutoCloseable {
  /**
   * Longest text, in characters, that {@link #atOnce} counts. That takes at most 3 ms of an event
   * loop, if none of its words was seen before; prose takes a fiftieth of that.
   */
  static final int AT_ONCE = 4_096;

  /**
   * Size, in characters, of the pieces in which longer texts are counted, because the time for some
   * texts grows faster than their length.
   */
  static final int PIECE = 8_192;

  /**
   * Maximum number of pieces of a long text that are counted, evenly spread; 256 Ki characters in
   * all.
   */
  static final int PIECES = 32;

  /** A text of this length may have been truncated. */
  static final int LONGEST = 4 << 20;

  private static final int QUEUE = 256;

  private final Scheduler scheduler;
  private final EncodingRegistry tables = Encodings.newLazyEncodingRegistry();
  private final Map<EncodingType, ToLongFunction<String>> loaded = new ConcurrentHashMap<>();
  private final Set<EncodingType> asked = ConcurrentHashMap.newKeySet();

  /** Creates an instance with threads of its own, half as many as there are processors. */
  public TextTokenizers() {
    this(
        Schedulers.newBoundedElastic(
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2), QUEUE, "penstock-tokens"));
  }

  TextTokenizers(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Returns the scheduler for such work; it rejects work if its queue is full. */
  public Scheduler scheduler() {
    return scheduler;
  }

  /**
   * Returns the request's content, with tokens counted if possible; null if counting takes longer.
   */
  public @Nullable RequestContent atOnce(TokenizerInput request) {
    ToLongFunction<String> counter = counter(request);
    CharSequence text = request.text();
    if (counter == null || text == null) {
      return request.content();
    }
    return text.length() > AT_ONCE
        ? null
        : request.content().tokenized(counter.applyAsLong(text.toString()));
  }

  /** Returns the request's content, counted on another thread; unchanged if the queue is full. */
  public Mono<RequestContent> later(TokenizerInput request) {
    return Mono.fromCallable(() -> counted(request))
        .subscribeOn(scheduler)
        .onErrorReturn(RejectedExecutionException.class, request.content());
  }

  /** Returns the request's content, counted on the calling thread, however long that takes. */
  RequestContent counted(TokenizerInput request) {
    ToLongFunction<String> counter = counter(request);
    CharSequence text = request.text();
    if (counter == null || text == null) {
      return request.content();
    }
    RequestContent requestContent = request.content();
    if (text.length() <= PIECE * PIECES) {
      return requestContent.tokenized(whole(counter, text));
    }
    double tokensAByte = sampled(counter, text);
    double bytes =
        text.length() < LONGEST
            ? (double) bytes(text)
            : (double) requestContent.textTokens() * TokenEstimate.BYTES_A_TOKEN;
    return requestContent.tokenized(Math.min(Cost.MAX_TOKENS, Math.round(bytes * tokensAByte)));
  }

  private static long whole(ToLongFunction<String> counter, CharSequence text) {
    long tokens = 0;
    for (int from = 0; from < text.length(); from += PIECE) {
      int to = Math.min(text.length(), from + PIECE);
      tokens += counter.applyAsLong(text.subSequence(from, to).toString());
    }
    return tokens;
  }

  /** Returns the UTF-8 bytes of a text; it is taken in pieces, because it may be a joined one. */
  private static long bytes(CharSequence text) {
    long bytes = 0;
    for (int from = 0; from < text.length(); from += PIECE) {
      bytes += Utf8Counter.bytes(text.subSequence(from, Math.min(text.length(), from + PIECE)));
    }
    return bytes;
  }

  /** Returns the ratio of tokens to UTF-8 bytes in evenly spread pieces. */
  private static double sampled(ToLongFunction<String> counter, CharSequence text) {
    int apart = (text.length() - PIECE) / (PIECES - 1);
    long tokens = 0;
    long bytes = 0;
    for (int piece = 0; piece < PIECES; piece++) {
      int from = piece * apart;
      String part = text.subSequence(from, from + PIECE).toString();
      tokens += counter.applyAsLong(part);
      bytes += Utf8Counter.bytes(part);
    }
    return (double) tokens / (double) Math.max(1, bytes);
  }

  /** Returns the tokenizer of the model; null if it has none, or its table is not loaded yet. */
  private @Nullable ToLongFunction<String> counter(TokenizerInput request) {
    String model = request.content().model();
    EncodingType type = model == null || request.text() == null ? null : OpenAiModels.table(model);
    if (type == null) {
      return null;
    }
    ToLongFunction<String> known = loaded.get(type);
    if (known == null && asked.add(type)) {
      load(type);
    }
    return known;
  }

  private void load(EncodingType type) {
    try {
      scheduler.schedule(() -> loaded.put(type, counter(type)));
    } catch (RejectedExecutionException busy) {
      asked.remove(type); // the next request tries again
    }
  }

  private ToLongFunction<String> counter(EncodingType type) {
    Encoding encoding = tables.getEncoding(type);
    return type == EncodingType.O200K_BASE
        ? new CountedPieces(encoding)::count
        : encoding::countTokensOrdinary;
  }

  /** Returns whether the table of a model's tokenizer is loaded. */
  boolean ready(String model) {
    EncodingType type = OpenAiModels.table(model);
    return type != null && loaded.containsKey(type);
  }

  /** Stops the threads. */
  @Override
  public void close() {
    scheduler.dispose();
  }
}
