package io.penstock.operator;

import io.penstock.config.KeyTermsJson;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore;
import io.penstock.key.Revocation;
import io.penstock.time.WallClock;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates, lists, changes and revokes keys. A secret appears only in the answer that creates it.
 */
final class KeysHandler {
  /** Largest number of keys in one answer. */
  static final int PAGE = 1_000;

  private static final int MOST_BYTES = 64 << 10;
  private static final String USUAL = "refuse-waiting";

  /** The fates of requests of a revoked key, by the word of {@code ?requests=}. */
  private static final Map<String, Revocation> REVOCATIONS =
      Map.of(
          USUAL,
          Revocation.REFUSES_WAITING,
          "keep-waiting",
          Revocation.KEEPS_WAITING,
          "cut",
          Revocation.CUTS_RUNNING);

  private final KeyRegistry keyRegistry;
  private final @Nullable KeyStore store;
  private final KeyUse keyUse;
  private final WallClock clock;

  /** Creates a handler; without a store it refuses all changes. */
  KeysHandler(@Nullable KeyStore store, KeyUse keyUse) {
    this.keyRegistry = keyUse.keys();
    this.store = store;
    this.keyUse = keyUse;
    this.clock = keyUse.clock();
  }

  /** Returns the routes of this handler. */
  RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/keys", this::list)
        .POST("/keys", this::add)
        .GET("/keys/{name}", this::show)
        .PATCH("/keys/{name}", this::change)
        .DELETE("/keys/{name}", this::remove)
        .POST("/keys/{name}/rotate", this::rotate)
        .POST("/keys/{name}/reset-budget", request -> resetBudget(request.pathVariable("name")))
        .path("/keys", () -> ProblemAnswer.only("GET, POST"))
        .path("/keys/{name}", () -> ProblemAnswer.only("GET, PATCH, DELETE"))
        .path("/keys/{name}/{task:rotate|reset-budget}", () -> ProblemAnswer.only("POST"))
        .build();
  }

  /**
   * Lists keys by name, a page at a time; {@code ?after=NAME} returns the page after that name, and
   * {@code ?use} adds the use of their limits.
   */
  private Mono<ServerResponse> list(ServerRequest request) {
    List<KeySpec> found = keyRegistry.list(request.queryParam("after").orElse(""), PAGE + 1);
    boolean use = request.queryParam("use").isPresent();
    List<KeySpec> page = found.subList(0, Math.min(PAGE, found.size()));
    ServerResponse.BodyBuilder answer = answer(HttpStatus.OK);
    if (page.size() < found.size()) {
      String last = URLEncoder.encode(page.getLast().name(), StandardCharsets.UTF_8);
      answer.header("Link", "</keys?after=" + last + ">; rel=\"next\"");
    }
    return answer.bodyValue(
        OperatorJson.bytes(page.stream().map(key -> use ? used(key) : shown(key, null)).toList()));
  }

  private Mono<ServerResponse> show(ServerRequest request) {
    KeySpec key = keyRegistry.find(request.pathVariable("name"));
    return key == null ? none() : OperatorJson.answer(used(key));
  }

  private Map<String, @Nullable Object> used(KeySpec key) {
    Map<String, @Nullable Object> shown = shown(key, null);
    shown.putAll(keyUse.of(key));
    return shown;
  }

  private Mono<ServerResponse> add(ServerRequest request) {
    return body(request, json -> add(KeyRequest.key(json, keyRegistry, clock.unixMillis())));
  }

  private Mono<ServerResponse> add(KeyRequest.Made made) {
    KeySpec key = made.key();
    if (keyRegistry.ofFiles(key.name()) != null) {
      return conflict("a key of this name is in the route files");
    }
    if (keyRegistry.inFiles(key.secrets().getFirst())) {
      return conflict("another key has this secret");
    }
    return with(
        known -> known.add(key),
        changed ->
            answer(HttpStatus.CREATED)
                .location(URI.create("/keys/" + key.name()))
                .bodyValue(OperatorJson.bytes(shown(changed, made.secret()))));
  }

  private Mono<ServerResponse> change(ServerRequest request) {
    String name = request.pathVariable("name");
    return body(
        request,
        json -> {
          ObjectNode terms = KeyRequest.terms(json);
          KeyRequest.check(terms, keyRegistry);
          return change(name, terms);
        });
  }

  private Mono<ServerResponse> change(String name, ObjectNode terms) {
    return readOnly(name)
        ? fixed()
        : with(
            known -> known.change(name, key -> key.with(KeyTermsJson.changed(key.terms(), terms))),
            changed -> OperatorJson.answer(shown(changed, null)));
  }

  /** Revokes a key; {@code ?requests=} says what becomes of its requests. */
  private Mono<ServerResponse> remove(ServerRequest request) {
    String name = request.pathVariable("name");
    Revocation revocation = REVOCATIONS.get(request.queryParam("requests").orElse(USUAL));
    if (revocation == null) {
      return ProblemAnswer.answering(
          HttpStatus.BAD_REQUEST,
          "?requests= is not known: refuse-waiting, keep-waiting or cut is expected, or nothing");
    }
    return readOnly(name)
        ? fixed()
        : with(
            known -> known.remove(name, revocation), removed -> ServerResponse.noContent().build());
  }

  private Mono<ServerResponse> rotate(ServerRequest request) {
    String name = request.pathVariable("name");
    return body(request, json -> rotate(name, KeyRequest.overlapMillis(json)));
  }

  private Mono<ServerResponse> rotate(String name, long overlapMillis) {
    if (readOnly(name)) {
      return fixed();
    }
    String secret = KeySecrets.make();
    KeySpec.Secret next = new KeySpec.Secret(KeySecrets.sha256(secret), KeySpec.NEVER);
    long until = clock.unixMillis() + overlapMillis;
    return with(
        known -> known.change(name, key -> key.rotated(next, until)),
        changed -> answer(HttpStatus.OK).bodyValue(OperatorJson.bytes(shown(changed, secret))));
  }

  /** Gives the budget of a key back as a whole, also of a key of route files. */
  private Mono<ServerResponse> resetBudget(String name) {
    KeySpec key = keyRegistry.find(name);
    if (key == null) {
      return none();
    }
    if (!keyRegistry.hasBudget(name)) {
      return conflict("this key has no budget");
    }
    return keyRegistry.resetBudget(key, keyUse.ticker().nanos())
        ? OperatorJson.answer(used(key))
        : conflict("instances share the budget of this key, and one of them cannot give it back");
  }

  private boolean readOnly(String name) {
    return keyRegistry.ofFiles(name) != null;
  }

  private static Mono<ServerResponse> fixed() {
    return ProblemAnswer.answering(
        HttpStatus.CONFLICT, "this key is in the route files: change it there");
  }

  private static Mono<ServerResponse> conflict(String why) {
    return ProblemAnswer.answering(HttpStatus.CONFLICT, why);
  }

  private static Mono<ServerResponse> none() {
    return ProblemAnswer.answering(HttpStatus.NOT_FOUND, "no key has this name");
  }

  private Mono<ServerResponse> with(
      Function<KeyStore, CompletionStage<KeyStore.Change>> work,
      Function<KeySpec, Mono<ServerResponse>> done) {
    KeyStore known = store;
    if (known == null) {
      return ProblemAnswer.answering(
          HttpStatus.CONFLICT,
          "keys come from route files alone: set penstock.keys.store to file:PATH, or to sql, to"
              + " keep some here");
    }
    return Mono.fromFuture(() -> work.apply(known).toCompletableFuture())
        .flatMap(
            change ->
                switch (change) {
                  case KeyStore.Done(KeySpec key) -> done.apply(key);
                  case KeyStore.NoSuchKey none -> none();
                  case KeyStore.NameTaken taken -> conflict("a key of this name is there already");
                  case KeyStore.SecretTaken taken -> conflict("another key has this secret");
                })
        .onErrorResume(
            KeyStore.Lost.class,
            lost ->
                ProblemAnswer.answering(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "the key store cannot be asked, look again before you repeat this: "
                        + lost.getMessage()));
  }

  private static Mono<ServerResponse> body(
      ServerRequest request, Function<byte[], Mono<ServerResponse>> read) {
    return QuestionBody.answered(
        request,
        MOST_BYTES,
        // Deferred, because an exception thrown here directly would cancel the body while it
        // completes.
        body -> body.flatMap(json -> Mono.defer(() -> read.apply(json))));
  }

  private Map<String, @Nullable Object> shown(KeySpec key, @Nullable String secret) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    shown.put("name", key.name());
    if (secret != null) {
      shown.put("secret", secret);
    }
    shown.put("source", readOnly(key.name()) ? "routes" : "store");
    shown.putAll(KeyTermsJson.shown(key.terms()));
    long created = key.identity().createdAtMillis();
    shown.put("created_at", created == KeySpec.Identity.UNKNOWN ? null : instant(created));
    List<KeySpec.Secret> all = new ArrayList<>(key.secrets());
    boolean rotating = all.size() > 1 && all.getLast().validUntilMillis() > clock.unixMillis();
    shown.put("previous_secret_until", rotating ? instant(all.getLast().validUntilMillis()) : null);
    long usedAt = keyRegistry.usedAtMillis(key);
    shown.put("last_used_at", usedAt == 0 ? null : instant(usedAt));
    return shown;
  }

  private static String instant(long unixMillis) {
    return Instant.ofEpochMilli(unixMillis).toString();
  }

  private static ServerResponse.BodyBuilder answer(HttpStatus status) {
    return ServerResponse.status(status)
        .contentType(MediaType.APPLICATION_JSON)
        .cacheControl(CacheControl.noStore());
  }
}
