package io.penstock.mock;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpHeaderNames.UPGRADE;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.mock.MockAsk.Fault;
import io.penstock.mock.MockAsk.Refused;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One address of the mock provider, with its formats, limits and counters. Thread-safe. */
final class MockUpstream {
  /**
   * Clocks and timers of a provider, and a consumer that is called whenever a request has ended.
   */
  record Surroundings(
      Ticker ticker, WallClock wallClock, Scheduler timers, Consumer<MockProvider.Stats> ended) {}

  /**
   * Number of models with limits of their own; all others share one, so that invented names cannot
   * fill the memory.
   */
  private static final int MAX_MODELS = 1_000;

  /** Path of the bill, below the address's base URL. */
  private static final String BILL = "/mock/bill";

  private static final String OTHER_MODELS = "";
  private static final int PARSED_IN_PLACE_BYTES = 256 << 10;
  private static final long WHOLE_SHARE = 1_000_000_000L;

  private final MockAddress address;
  private final Surroundings surroundings;
  private final MockDialect dialect;
  private final MockText text;
  private final boolean keepsFiles;
  private final MockFiles files = new MockFiles();
  private final long errorShare;
  private final Map<String, MockModel> models = new ConcurrentHashMap<>();
  private final AtomicLong admitted = new AtomicLong();
  private final AtomicLong running = new AtomicLong();
  private final AtomicLong requests = new AtomicLong();
  private final LongAdder refused = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private volatile boolean cachesReadable = true;

  MockUpstream(MockAddress address, Surroundings surroundings) {
    this.address = address;
    this.surroundings = surroundings;
    this.dialect = dialect(address);
    this.text = new MockText(address.tokens());
    this.keepsFiles = address.format() == MockFormat.OPENAI;
    this.errorShare = Math.round(address.errorRate() * WHOLE_SHARE);
  }

  private static MockDialect dialect(MockAddress address) {
    return switch (address.format()) {
      case OPENAI -> new MockOpenAi();
      case ANTHROPIC -> new MockAnthropic(address.cache().tokens() > 0);
      case GEMINI -> new MockGemini();
    };
  }

  MockProvider.Stats stats() {
    return new MockProvider.Stats(requests.get(), refused.sum(), cancelled.sum(), running.get());
  }

  /** Answers a request for {@code path}, the part behind the address's base URL. */
  Mono<Void> handle(HttpServerRequest request, HttpServerResponse response, String path) {
    Function<JsonNode, MockAsk> messages = dialect.messages(path, address);
    if (messages != null && request.requestHeaders().contains(UPGRADE, "websocket", true)) {
      return new MockSocket(this, messages).serve(response);
    }
    Exchange exchange = new Exchange(begin(), response);
    return Mono.defer(() -> exchange.answer(request, path))
        .doFinally(signal -> end(exchange.written));
  }

  /** Counts a request that begins, and returns its number. */
  long begin() {
    running.incrementAndGet();
    return requests.incrementAndGet();
  }

  /** Counts the end of a request, whose answer was sent as a whole or not. */
  void end(boolean written) {
    if (!written) {
      cancelled.increment();
    }
    running.decrementAndGet();
    surroundings.ended().accept(stats());
  }

  /** Returns the body of an error. */
  byte[] error(Refused refused, long number) {
    return dialect.error(refused, "req_mock_" + number);
  }

  /** Returns what each model was used for, by name; invented names share the empty one. */
  Map<String, MockProvider.Bill> bills() {
    Map<String, MockProvider.Bill> bills = new TreeMap<>();
    models.forEach((name, model) -> bills.put(name, model.bill()));
    return bills;
  }

  /** Turns reading from the caches of all models on or off. */
  void readable(boolean readable) {
    cachesReadable = readable;
    models.values().forEach(model -> model.readable(readable));
  }

  private long now() {
    return surroundings.ticker().nanos();
  }

  private MockModel model(String model) {
    MockModel known = models.get(model);
    if (known != null) {
      return known;
    }
    return models.computeIfAbsent(
        models.size() < MAX_MODELS ? model : OTHER_MODELS, name -> newModel());
  }

  private MockModel newModel() {
    MockModel model = new MockModel(address);
    model.readable(cachesReadable);
    return model;
  }

  private void produced(MockAsk.Generate ask, int tokens) {
    MockModel model = model(ask.model());
    model.produced((long) tokens * ask.answers());
    if (dialect.chargesOutput()) {
      model.charge(now(), tokens);
    }
  }

  /**
   * Returns whether this admitted request fails; failures are spread evenly, so that their share is
   * exact.
   */
  private boolean fails() {
    if (errorShare == 0) {
      return false;
    }
    long before = admitted.getAndIncrement() % WHOLE_SHARE;
    return (before + 1) * errorShare / WHOLE_SHARE > before * errorShare / WHOLE_SHARE;
  }

  /** Asks the cache of the request's model. */
  PromptCache.Use look(MockAsk.Generate ask) {
    return model(ask.model()).look(ask, now());
  }

  /** Takes the request from the limits of its model, if they have room for it. */
  MockLimit.Verdict admit(MockAsk.Generate ask, PromptCache.Use use) {
    long charged = dialect.chargedAtArrival(ask) - use.read();
    return model(ask.model()).admit(now(), charged, use.counted());
  }

  /**
   * Returns the error for a request that the limits did not admit, or that fails as asked to; null
   * for one to be answered. Adds the headers that state the limits.
   */
  @Nullable Refused refusal(MockLimit.Verdict verdict, String model, HttpHeaders headers) {
    MockLimit.Verdict announced = address.announces() ? verdict : verdict.unannounced();
    dialect.limits(announced, surroundings.wallClock().unixMillis(), headers);
    if (verdict.binding() != null) {
      refused.increment();
      return overLimit(verdict.binding(), verdict.retryNanos(), model);
    }
    return fails()
        ? new Refused(Fault.BROKEN, null, "The mock provider failed, as asked to.")
        : null;
  }

  /** Ends when an error is due: a failure takes the latency, a refusal does not. */
  Mono<Void> delay(Refused refused) {
    return refused.fault() == Fault.BROKEN ? afterLatency() : Mono.empty();
  }

  /** Ends when the first byte of an answer is due. */
  Mono<Void> afterLatency() {
    return afterNanos(address.latencyNanos(), Mono::empty);
  }

  private static Refused overLimit(String binding, long retryNanos, String model) {
    Fault fault = binding.equals("requests") ? Fault.OVER_REQUESTS : Fault.OVER_TOKENS;
    return new Refused(
        fault,
        null,
        retryNanos < 0
            ? "Request too large for " + model + ": it is more than the limit on " + binding + "."
            : "Rate limit on "
                + binding
                + " reached for "
                + model
                + ". Try again in "
                + MockTimes.goDuration(retryNanos)
                + ".",
        retryNanos);
  }

  MockAnswer answer(MockAsk.Generate ask, long number, PromptCache.Use use) {
    return MockAnswer.of(ask, text, number, surroundings.wallClock().unixMillis(), use);
  }

  private MockPace pace(MockAsk.Generate ask) {
    return MockPace.of(ask.outputTokens(), address.tokensPerSecond());
  }

  /** Returns the pieces of a stream, which begins now. */
  Flux<byte[]> pieces(MockAnswer answer) {
    model(answer.ask().model()).begin(answer.use(), now());
    MockStream stream = new MockStream(answer, tokens -> produced(answer.ask(), tokens));
    MockPace pace = pace(answer.ask());
    return pace.atOnce()
        ? Mono.fromSupplier(stream::all).flux()
        : pace.dueTokens(surroundings.timers()).map(stream::upTo).startWith(stream.start());
  }

  private Mono<Void> afterNanos(long nanos, Supplier<Mono<Void>> next) {
    return nanos == 0
        ? Mono.defer(next)
        : Mono.delay(Duration.ofNanos(nanos), surroundings.timers()).then(Mono.defer(next));
  }

  /** One request and its answer. */
  private final class Exchange {
    private final long number;
    private final HttpServerResponse response;

    /**
     * Whether the whole body was written. The server reports the exchange as complete even if the
     * client disconnected in the middle; only the body sees the difference.
     */
    private volatile boolean written;

    Exchange(long number, HttpServerResponse response) {
      this.number = number;
      this.response = response;
    }

    Mono<Void> answer(HttpServerRequest request, String path) {
      response.header(dialect.requestIdHeader(), "req_mock_" + number);
      HttpMethod method = request.method();
      byte[] models =
          path.equals(BILL) ? JsonMapper.shared().writeValueAsBytes(bills()) : dialect.models(path);
      if (models != null) {
        return method.equals(HttpMethod.GET) ? json(200, models) : wrongMethod(method, "GET");
      }
      if (keepsFiles && MockFiles.isAbout(path)) {
        return MockBody.read(request).flatMap(body -> aboutFiles(request, path, body));
      }
      Function<JsonNode, MockAsk> reader = dialect.reader(path, query(request.uri()), address);
      if (reader == null) {
        return error(
            new Refused(
                Fault.NOT_FOUND, null, "The mock provider has no " + method + " " + path + "."));
      }
      if (!method.equals(HttpMethod.POST)) {
        return wrongMethod(method, "POST");
      }
      return MockBody.read(request).flatMap(body -> read(body, reader)).flatMap(this::give);
    }

    private Mono<Void> aboutFiles(HttpServerRequest request, String path, MockBody body) {
      if (body.tooLarge()) {
        return error(tooLarge());
      }
      String contentType = request.requestHeaders().get(CONTENT_TYPE);
      long nowSeconds = surroundings.wallClock().unixMillis() / 1_000;
      String method = request.method().name();
      // reading a large form would block the event loop's other connections
      return Mono.fromCallable(
              () ->
                  files.answer(
                      new MockFiles.Question(method, path, contentType, body.bytes(), nowSeconds)))
          .subscribeOn(Schedulers.parallel())
          .flatMap(
              reply ->
                  reply.refused() == null
                      ? whole(200, reply.contentType(), reply.body())
                      : error(reply.refused()));
    }

    /** Notes that the rest of the body is not read, so that the connection cannot be used again. */
    private Refused tooLarge() {
      response.keepAlive(false);
      return new Refused(
          Fault.TOO_LARGE, null, "The body is larger than " + MockRead.MAX_BODY_BYTES + " bytes.");
    }

    private static String query(String uri) {
      int query = uri.indexOf('?');
      return query < 0 ? "" : uri.substring(query + 1);
    }

    private Mono<Void> wrongMethod(HttpMethod method, String expected) {
      response.header(HttpHeaderNames.ALLOW, expected);
      return error(
          new Refused(
              Fault.BAD_METHOD, null, "The method is " + method + ", expected " + expected + "."));
    }

    private Mono<MockAsk> read(MockBody body, Function<JsonNode, MockAsk> reader) {
      if (body.tooLarge()) {
        return Mono.just(tooLarge());
      }
      byte[] bytes = body.bytes();
      // parsing a large body would block the event loop's other connections
      return bytes.length <= PARSED_IN_PLACE_BYTES
          ? Mono.just(MockRead.body(bytes, reader))
          : Mono.fromCallable(() -> MockRead.body(bytes, reader))
              .subscribeOn(Schedulers.parallel());
    }

    private Mono<Void> give(MockAsk ask) {
      return switch (ask) {
        case Refused refused -> error(refused);
        case MockAsk.Count count -> json(200, dialect.counted(count.tokens()));
        case MockAsk.Embed embed -> {
          long input = embed.promptTokens();
          MockModel model = model(embed.model());
          yield within(
              model.admit(now(), input, input),
              embed.model(),
              () -> embed(embed, PromptCache.Use.none(input)));
        }
        case MockAsk.Generate generate -> {
          PromptCache.Use use = look(generate);
          yield within(admit(generate, use), generate.model(), () -> generate(generate, use));
        }
      };
    }

    /** Answers after the latency if the limits admitted the request, else refuses immediately. */
    private Mono<Void> within(
        MockLimit.Verdict verdict, String model, Supplier<Mono<Void>> answer) {
      Refused refused = refusal(verdict, model, response.responseHeaders());
      return refused == null ? answer.get() : delay(refused).then(Mono.defer(() -> error(refused)));
    }

    private Mono<Void> embed(MockAsk.Embed ask, PromptCache.Use use) {
      return afterNanos(
          address.latencyNanos(),
          () -> {
            model(ask.model()).begin(use, now());
            response.header(CONTENT_TYPE, "application/json");
            return send(dialect.vectors(ask), piece -> false);
          });
    }

    private Mono<Void> generate(MockAsk.Generate ask, PromptCache.Use use) {
      MockAnswer answer = MockUpstream.this.answer(ask, number, use);
      if (ask.stream()) {
        return afterNanos(address.latencyNanos(), () -> stream(answer));
      }
      MockPace pace = pace(ask);
      return afterNanos(
          address.latencyNanos() + pace.totalNanos(),
          () -> {
            model(ask.model()).begin(use, now());
            produced(ask, ask.outputTokens());
            return json(200, ask.form().whole(answer));
          });
    }

    private Mono<Void> stream(MockAnswer answer) {
      response.header(CONTENT_TYPE, answer.ask().form().streamType());
      response.header(HttpHeaderNames.CACHE_CONTROL, "no-cache");
      response.chunkedTransfer(true);
      Flux<byte[]> pieces = pieces(answer);
      return pace(answer.ask()).atOnce() ? send(Mono.from(pieces)) : send(pieces, piece -> true);
    }

    private Mono<Void> error(Refused refused) {
      return json(refused.fault().status, MockUpstream.this.error(refused, number));
    }

    private Mono<Void> json(int status, byte[] body) {
      return whole(status, "application/json", body);
    }

    private Mono<Void> whole(int status, String contentType, byte[] body) {
      response.status(status).header(CONTENT_TYPE, contentType);
      response.header(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length));
      return send(Mono.just(body));
    }

    private Mono<Void> send(Mono<byte[]> body) {
      Mono<ByteBuf> buffer = body.map(Unpooled::wrappedBuffer);
      return response.send(buffer.doOnSuccess(whole -> written = true)).then();
    }

    /** Sends pieces as they come. Wrapped heap arrays need no release, so they cannot leak. */
    private Mono<Void> send(Flux<byte[]> pieces, Predicate<ByteBuf> flushed) {
      Flux<ByteBuf> buffers = pieces.map(Unpooled::wrappedBuffer);
      return response.send(buffers.doOnComplete(() -> written = true), flushed).then();
    }
  }
}
