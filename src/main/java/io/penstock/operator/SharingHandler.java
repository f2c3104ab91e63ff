package io.penstock.operator;

import io.penstock.shares.ShareFigures;
import io.penstock.shares.ShareRelease;
import io.penstock.shares.ShareSlots;
import io.penstock.shares.ShareStore;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Tells how exact limits are shared with other instances. Safe from any thread. */
final class SharingHandler {
  private final ShareSlots slots;
  private final Ticker ticker;
  private final WallClock clock;

  SharingHandler(ShareSlots slots, Ticker ticker, WallClock clock) {
    this.slots = slots;
    this.ticker = ticker;
    this.clock = clock;
  }

  RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/sharing", this::answer)
        .path("/sharing", () -> ProblemAnswer.only("GET"))
        .POST("/sharing/forget", this::forget)
        .path("/sharing/forget", () -> ProblemAnswer.only("POST"))
        .build();
  }

  private Mono<ServerResponse> answer(ServerRequest request) {
    String name = request.queryParam("limit").orElse(null);
    if (name == null) {
      ArrayNode all = OperatorJson.array();
      slots.figures().forEach(slot -> all.add(slot(slot)));
      return OperatorJson.answer(all);
    }
    LimitId id = slots.named(name);
    return id == null
        ? ProblemAnswer.answering(
            HttpStatus.NOT_FOUND, "no exact limit is called '" + name + "' here")
        : OperatorJson.answer(limit(id));
  }

  /** Releases what an instance that has stopped may hold above what it stated as spent. */
  private Mono<ServerResponse> forget(ServerRequest request) {
    String member = request.queryParam("member").orElse("");
    return member.isEmpty()
        ? ProblemAnswer.answering(HttpStatus.BAD_REQUEST, "?member= is expected")
        : Mono.fromFuture(() -> slots.release(member).toCompletableFuture())
            .flatMap(released -> answer(member, released));
  }

  private static Mono<ServerResponse> answer(String member, ShareRelease released) {
    if (released.lives()) {
      return ProblemAnswer.answering(
          HttpStatus.CONFLICT, "'" + member + "' lives, or has been silent for less than a lease");
    }
    if (released.slots() > 0) {
      return OperatorJson.answer(
          OperatorJson.object()
              .put("member", member)
              .put("slots", released.slots())
              .put("away", released.away())
              .put("limits", released.limits()));
    }
    return released.away() > 0
        ? ProblemAnswer.answering(HttpStatus.SERVICE_UNAVAILABLE, "Redis does not answer")
        : ProblemAnswer.answering(HttpStatus.NOT_FOUND, "no instance is called '" + member + "'");
  }

  private JsonNode slot(ShareFigures slot) {
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    ShareFigures.Contact contact = slot.contact();
    ObjectNode node =
        OperatorJson.object()
            .put("member", slot.member())
            .put("epoch", slot.epoch())
            .put("settled", contact.settled())
            .put("uncertain", slot.uncertain())
            .put("listed", contact.listed())
            .put("cut_off", contact.cutOff())
            .put(
                "answered_at",
                contact.wasHeard() ? now.text(now.nanos() - contact.silentNanos()) : null)
            .put("limits", slot.limits().shared())
            .put("holding", slot.limits().holding())
            .put("waiting", slot.limits().waiting());
    ArrayNode members = node.putArray("members");
    for (ShareFigures.Member each : slot.members()) {
      boolean counts = each.life() != ShareStore.Life.LIVING && each.countsNanos() > 0;
      members
          .addObject()
          .put("name", each.name())
          .put("beat", each.number())
          .put("life", each.life().name().toLowerCase(Locale.ROOT))
          .put("counts_until", counts ? now.text(now.nanos() + each.countsNanos()) : null);
    }
    return node;
  }

  private JsonNode limit(LimitId id) {
    ShareFigures.@Nullable OfLimit figures = slots.figures(id);
    ObjectNode node = OperatorJson.object().put("limit", id.toString());
    if (figures == null) {
      return node.put("share", 0).putNull("heard_at");
    }
    ClockReading now = new ClockReading(ticker.nanos(), clock.unixMillis());
    Map<String, Long> ofDead = new TreeMap<>(figures.ofDead());
    return node.put("share", figures.share())
        .put("heard_at", now.text(now.nanos() - figures.ageNanos()))
        .put("target", figures.target())
        .put("free", figures.free())
        .put("capacity", figures.capacity())
        .set("of_dead", OperatorJson.tree(ofDead));
  }
}
