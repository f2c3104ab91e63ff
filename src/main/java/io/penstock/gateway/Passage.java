package io.penstock.gateway;

import io.penstock.cost.Content;
import io.penstock.cost.Cost;
import io.penstock.cost.Operation;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Settlement;
import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.body.HeldBody;
import io.penstock.key.Caller;
import io.penstock.provider.Speech;
import io.penstock.provider.request.Weighed;
import io.penstock.trace.Trail;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/**
 * One request's way through the gateway: what the filters know of it. The one attribute they share.
 * Belongs to the event loop of the request.
 */
final class Passage {
  /** The name of all who have none. */
  static final String ANONYMOUS = "anonymous";

  private static final String ATTRIBUTE = Passage.class.getName();

  private final String requestId;
  private final Endpoint endpoint;
  private final Speech speech;
  private final Parameters parameters;
  private final HeldBody body;
  private final Visitor visitor;
  private Trail trail = Trail.NONE;
  private Map<String, String> told = Map.of();
  private Cost cost = Cost.NO_TOKENS;
  private @Nullable Content content;
  private @Nullable String model;
  private boolean weighed;
  private @Nullable Operation operation;
  private boolean stream;
  private boolean asksUsage;
  private @Nullable String user;
  private Weighed.Spots spots = Weighed.Spots.NONE;
  private Weighed.Traits traits = Weighed.Traits.NONE;
  private @Nullable Settlement settlement;
  private boolean uploading;
  private @Nullable BadUpload badUpload;
  private boolean upgrades;

  Passage(
      String requestId, Endpoint endpoint, Parameters parameters, HeldBody body, Visitor visitor) {
    this.visitor = visitor;
    this.requestId = requestId;
    this.endpoint = endpoint;
    this.speech = Speech.of(endpoint.spec().reading().dialect());
    this.parameters = parameters;
    this.body = body;
  }

  /** Returns the passage of an exchange that was identified. */
  static Passage of(ServerWebExchange exchange) {
    return exchange.getRequiredAttribute(ATTRIBUTE);
  }

  /** Returns the passage of an exchange, or null when it came to no endpoint. */
  static @Nullable Passage find(ServerWebExchange exchange) {
    return exchange.getAttribute(ATTRIBUTE);
  }

  /** Makes it that of an exchange, whose trail it has from now on. */
  void attach(ServerWebExchange exchange) {
    exchange.getAttributes().put(ATTRIBUTE, this);
    trail = ObserveFilter.of(exchange);
    trail.entered(endpoint, requestId, key());
  }

  /** What is told of it. */
  Trail trail() {
    return trail;
  }

  String requestId() {
    return requestId;
  }

  Endpoint endpoint() {
    return endpoint;
  }

  Speech speech() {
    return speech;
  }

  Parameters parameters() {
    return parameters;
  }

  HeldBody body() {
    return body;
  }

  Cost cost() {
    return cost;
  }

  /** What the body holds; null when its answer will teach nothing of that. */
  @Nullable Content content() {
    return content;
  }

  /** The name of who asks. */
  String key() {
    Caller caller = visitor.caller();
    return caller == null ? ANONYMOUS : caller.spec().name();
  }

  /** Who asks, for people. */
  Ask.Origin origin() {
    Caller caller = visitor.caller();
    return new Ask.Origin(requestId, caller == null ? null : caller.spec().name());
  }

  /** Whose key came with it, or null where none is needed. */
  @Nullable Caller caller() {
    return visitor.caller();
  }

  /** Who sent it. */
  Visitor visitor() {
    return visitor;
  }

  /** What its answer tells of what is left, by the names of headers. */
  Map<String, String> told() {
    return told;
  }

  /** Has its answer tell that. */
  void tells(Map<String, String> headers) {
    told = headers;
  }

  /** The group of who asks, or null. */
  @Nullable String group() {
    Caller caller = visitor.caller();
    return caller == null ? null : caller.spec().group();
  }

  /** The model the client asks for, or null. */
  @Nullable String model() {
    return model;
  }

  /** The model the upstream at hand is asked for, under the name clients have for it, or null. */
  @Nullable String askedModel() {
    return settlement == null ? model : settlement.model();
  }

  /** Whether the connection is to become another protocol. */
  boolean upgrades() {
    return upgrades;
  }

  /** The connection is to become another protocol. */
  void upgrading() {
    upgrades = true;
  }

  /** Whether the body was read and held; others are streamed through. */
  boolean weighed() {
    return weighed;
  }

  /** What it asks a model for; null where it is not weighed. */
  @Nullable Operation operation() {
    return operation;
  }

  /** Says what it asks a model for. */
  void asks(@Nullable Operation what) {
    operation = what;
  }

  /** Whether it asks for an event stream. */
  boolean stream() {
    return stream;
  }

  /** Whether the attempt at hand asks for the usage of a stream though the client does not. */
  boolean asksUsage() {
    return asksUsage;
  }

  /** Says whether the next attempt does. */
  void asksUsage(boolean asks) {
    asksUsage = asks;
  }

  /** Whom the body names, or null. */
  @Nullable String user() {
    return user;
  }

  /** The body is not read, and streamed through. */
  void weighs(Cost of) {
    cost = of;
  }

  /** The body was read, and said so. */
  void weighs(Cost of, Weighed.Request body) {
    weighs(of, body, body.content());
  }

  /** The body was read, and said so; its text may have been counted more exactly since. */
  void weighs(Cost of, Weighed.Request body, Content counted) {
    cost = of;
    content = body.traits().costStands() ? null : counted;
    traits = body.traits();
    model = body.model();
    stream = body.stream();
    user = body.user();
    spots = body.spots();
    weighed = true;
  }

  /** Whether its answer will not say what it uses, because it runs in the background. */
  boolean costStands() {
    return traits.costStands();
  }

  /** An id in its body that only the upstream knows which gave it, or null. */
  @Nullable String refersTo() {
    return traits.refersTo();
  }

  /** Where its body can be changed. */
  Weighed.Spots spots() {
    return spots;
  }

  /** A body that is streamed through began to be read: it can be sent this once. */
  void uploads() {
    uploading = true;
  }

  /** What is streamed through turned out to be bad. */
  void uploadFails(BadUpload error) {
    badUpload = error;
  }

  /** What is wrong with what is streamed through, or null. */
  @Nullable BadUpload badUpload() {
    return badUpload;
  }

  /** Whether the request could be sent once more. */
  boolean repeatable() {
    return (weighed || !uploading) && settlement != null;
  }

  /** What was taken for the attempt at hand, once it was let go. */
  @Nullable Settlement settlement() {
    return settlement;
  }

  void granted(Settlement granted) {
    settlement = granted;
  }
}
