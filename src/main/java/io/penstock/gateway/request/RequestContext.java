package io.penstock.gateway.request;

import io.penstock.cost.Cost;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.RequestContent;
import io.penstock.cost.UsageBound;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.explain.BindingLimit;
import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.body.HeldBody;
import io.penstock.key.ApiCaller;
import io.penstock.prefix.CacheLearner;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusedCall;
import io.penstock.provider.request.NamedModel;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.refusal.RetryAdvice;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.WallClock;
import io.penstock.trace.RequestTrail;
import io.penstock.usage.UsageLedger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * State of one request on its way through the gateway. It is an attribute of the exchange, and the
 * only way in which filters pass on what they know. Belongs to the event loop of the request.
 */
public final class RequestContext {
  /** Name that stands for all clients without a key. */
  static final String ANONYMOUS = UsageLedger.ANONYMOUS;

  private static final Refusal CHANGED =
      Refusal.of(
          RefusalReason.ENDPOINT_REMOVED,
          "a reload changed what the endpoint serves while the request waited; send it again");

  private static final String ATTRIBUTE = RequestContext.class.getName();
  private static final String TRAIL = RequestTrail.class.getName();

  private final String requestId;
  private final Endpoint endpoint;

  /** The configuration by which the request is read, which a reload may replace meanwhile. */
  private final EndpointSpec readBy;

  private final ProviderCall providerCall;
  private final GatewayParameters gatewayParameters;
  private final HeldBody body;
  private final ClientIdentity clientIdentity;
  private final RequestLoop loop;
  private final WallClock clock;
  private RequestTrail requestTrail = RequestTrail.NONE;
  private Map<String, String> limitHeaders = Map.of();
  private Cost cost = Cost.NO_TOKENS;
  private @Nullable RequestContent requestContent;
  private @Nullable String model;
  private CacheLearner.@Nullable Prompt prompt;
  private TicketRequest.RequestAffinity prefixAffinity = TicketRequest.RequestAffinity.NONE;
  private boolean weighed;
  private @Nullable ModelOperation modelOperation;
  private boolean stream;
  private boolean asksUsage;
  private @Nullable String user;
  private WeighedRequest.Spots spots = WeighedRequest.Spots.NONE;
  private SentMaximum sentMaximum = SentMaximum.NONE;
  private UsageBound usageBound = UsageBound.CONTEXT;
  private WeighedRequest.Traits traits = WeighedRequest.Traits.NONE;
  private @Nullable ParkedTicket latestTicket;
  private @Nullable TicketSettlement ticketSettlement;
  private boolean over;
  private boolean uploading;
  private @Nullable BadUpload badUpload;
  private boolean upgrades;
  private @Nullable TappedResponse tappedResponse;
  private @Nullable TrackedRequest tracked;
  private @Nullable LateResponse lateResponse;
  private @Nullable SocketMessage socketMessage;

  public RequestContext(
      String requestId,
      Endpoint endpoint,
      GatewayParameters gatewayParameters,
      HeldBody body,
      ClientIdentity clientIdentity,
      ProviderCall providerCall,
      RequestLoop loop,
      WallClock clock) {
    this.loop = loop;
    this.clock = clock;
    this.clientIdentity = clientIdentity;
    this.requestId = requestId;
    this.endpoint = endpoint;
    this.readBy = endpoint.spec();
    this.providerCall = providerCall;
    this.gatewayParameters = gatewayParameters;
    this.body = body;
  }

  /** Returns the state of an exchange that was identified. */
  public static RequestContext of(ServerWebExchange exchange) {
    return exchange.getRequiredAttribute(ATTRIBUTE);
  }

  /** Returns the state of an exchange, or null when the request came to no endpoint. */
  public static @Nullable RequestContext find(ServerWebExchange exchange) {
    return exchange.getAttribute(ATTRIBUTE);
  }

  /**
   * Returns the status of the answer of an exchange, or 0 if none was begun. An answer that began
   * with heartbeats has the status that it would have had without them.
   */
  public static int status(ServerWebExchange exchange) {
    RequestContext requestContext = find(exchange);
    LateResponse late = requestContext == null ? null : requestContext.late();
    HttpStatusCode status = late == null ? null : late.getStatusCode();
    if (status == null && exchange.getResponse().isCommitted()) {
      status = exchange.getResponse().getStatusCode();
    }
    return status == null ? 0 : status.value();
  }

  /** Sets the trail that will be notified of the progress of a request that has no state yet. */
  public static void follow(ServerWebExchange exchange, RequestTrail requestTrail) {
    exchange.getAttributes().put(TRAIL, requestTrail);
  }

  /** Attaches this state to an exchange, and takes over the trail of the exchange. */
  public void attach(ServerWebExchange exchange) {
    exchange.getAttributes().put(ATTRIBUTE, this);
    requestTrail = exchange.getAttributeOrDefault(TRAIL, RequestTrail.NONE);
    socketMessage = SocketMessage.find(exchange);
    requestTrail.entered(endpoint, requestId, key());
  }

  /** Returns the trail that is notified of the request's progress. */
  public RequestTrail trail() {
    return requestTrail;
  }

  /** Returns the Unix time in milliseconds. */
  long unixMillis() {
    return clock.unixMillis();
  }

  /** Returns what the client is told now about repeating the request after a refusal. */
  RetryAdvice retryAdvice(Refusal refusal) {
    long most = endpoint.spec().waiting().retryAfterMaxSeconds();
    return RetryAdvice.of(refusal, most, clock.unixMillis());
  }

  /** Sets the model that a request names in its path; its body is not read. */
  public void describes(String name) {
    model = name;
  }

  /** Returns what a provider's error text mentions of this request. */
  RefusedCall refusedCall(RetryAdvice advice) {
    String masked = caller() == null ? null : RefusedCall.MASKED;
    return new RefusedCall(requestId, advice.at(), model, masked);
  }

  /** Returns the client that is told when to come back if the request is refused. */
  public PromiseHolder promiseHolder() {
    return new PromiseHolder(body.tenant(), gatewayParameters.session());
  }

  public String requestId() {
    return requestId;
  }

  /** Returns the event loop that owns this state. */
  public RequestLoop loop() {
    return loop;
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  /** Returns the call that the request makes to a provider. */
  public ProviderCall call() {
    return providerCall;
  }

  /** Returns the protocol in which the client speaks: that of its call. */
  public ProviderProtocol protocol() {
    return providerCall.reader();
  }

  /** Returns the protocol of the endpoint's upstreams. */
  public ProviderProtocol upstreamProtocol() {
    return ProviderProtocol.of(readBy.reading().dialect());
  }

  /** Returns whether the request came to an endpoint without upstreams. */
  public boolean asksPermit() {
    return readBy.permit();
  }

  /**
   * Returns the refusal of a request that can go, but was read by a configuration that says nothing
   * about what its endpoint is now: a permit has no body to forward, a request to a provider has no
   * use for a permit, and each dialect has its own bodies and paths. Null when it can be served.
   */
  private @Nullable Refusal outdated(TicketSettlement granted) {
    EndpointSpec now = endpoint.spec();
    boolean same =
        asksPermit() == (granted.upstream() == null)
            && readBy.reading().dialect().equals(now.reading().dialect())
            && readBy.entry().path().equals(now.entry().path());
    return same ? null : CHANGED;
  }

  public GatewayParameters parameters() {
    return gatewayParameters;
  }

  public HeldBody body() {
    return body;
  }

  public Cost cost() {
    return cost;
  }

  /** Returns the content of the body; null when the answer will teach nothing about it. */
  @Nullable RequestContent content() {
    return requestContent;
  }

  /** Returns the name of the client's key, or {@link #ANONYMOUS}. */
  public String key() {
    ApiCaller apiCaller = clientIdentity.caller();
    return apiCaller == null ? ANONYMOUS : apiCaller.spec().name();
  }

  /** Returns the request's origin as shown to people. */
  public TicketRequest.Origin origin() {
    ApiCaller apiCaller = clientIdentity.caller();
    return apiCaller == null
        ? new TicketRequest.Origin(requestId, null, null)
        : new TicketRequest.Origin(
            requestId, apiCaller.spec().name(), apiCaller.spec().terms().group());
  }

  /** Returns the client's key with its limits, or null where no key is needed. */
  public @Nullable ApiCaller caller() {
    return clientIdentity.caller();
  }

  /** Returns the client that sent the request. */
  public ClientIdentity client() {
    return clientIdentity;
  }

  /** Returns the headers that tell the client what is left of limits, by name. */
  Map<String, String> limitHeaders() {
    return limitHeaders;
  }

  /** Sets the headers that tell the client what is left of limits. */
  public void setLimitHeaders(Map<String, String> headers) {
    limitHeaders = headers;
  }

  /** Returns the message of a WebSocket that the request is, or null when it is none. */
  public @Nullable SocketMessage message() {
    return socketMessage;
  }

  /**
   * Runs a step that may take long. Until it ends, operators see the request among those that wait.
   *
   * @param by returns what holds the request now, or null when nothing does; called on any thread
   */
  public <T> Mono<T> held(Supplier<@Nullable BindingLimit> by, Mono<T> step) {
    return Mono.using(
        () -> endpoint.hold(origin(), model, cost, by), held -> step, endpoint::letGo);
  }

  /** Returns the model that the client asks for, or null. */
  public @Nullable String model() {
    return model;
  }

  /**
   * Returns the model that the current upstream is asked for, under the name that clients use, or
   * null.
   */
  public @Nullable String askedModel() {
    return ticketSettlement == null ? model : ticketSettlement.model();
  }

  /** Returns whether the connection is to become another protocol. */
  public boolean upgrades() {
    return upgrades;
  }

  /** Notes that the connection is to become another protocol. */
  public void upgrading() {
    upgrades = true;
  }

  /** Returns whether the body was read into memory; other bodies are streamed through. */
  public boolean weighed() {
    return weighed;
  }

  /** Returns the operation that the request asks of a model; null where the body is not read. */
  public @Nullable ModelOperation operation() {
    return modelOperation;
  }

  /** Sets the operation that the request asks of a model. */
  public void setOperation(@Nullable ModelOperation what) {
    modelOperation = what;
  }

  /** Returns whether the client asks for an event stream. */
  boolean stream() {
    return stream;
  }

  /**
   * Returns whether the current attempt asks for the usage of a stream although the client does
   * not.
   */
  public boolean asksUsage() {
    return asksUsage;
  }

  /** Sets whether the next attempt does so. */
  public void asksUsage(boolean wanted) {
    asksUsage = wanted;
  }

  /** Returns the user that the body names, or null. */
  public @Nullable String user() {
    return user;
  }

  /** Sets the cost of a request with a body that is streamed through unread. */
  public void setCost(Cost of) {
    cost = of;
  }

  /**
   * Sets the cost and the findings of a body that was read; its text may have been counted more
   * exactly since.
   */
  public void setCost(Cost of, WeighedRequest.Request body, RequestContent counted) {
    cost = of;
    requestContent = body.traits().costFinal() ? null : counted;
    sentMaximum = SentMaximum.of(counted, of, body.traits().thinkingTokens());
    usageBound = UsageBound.of(counted);
    traits = body.traits();
    model = body.model();
    prompt = promptOf(body);
    stream = body.stream();
    user = body.user();
    spots = body.spots();
    weighed = true;
  }

  /** Returns the prompt in a body that was read, as far as it matters to caches. */
  public CacheLearner.Prompt promptOf(WeighedRequest.Request body) {
    return new CacheLearner.Prompt(body.content(), body.prefix(), key());
  }

  /** Returns the prompt, as far as it matters to caches; null when no body was read. */
  public CacheLearner.@Nullable Prompt prompt() {
    return prompt;
  }

  /** Returns the affinity to the upstream that has the beginning of the prompt in its cache. */
  TicketRequest.RequestAffinity prefixAffinity() {
    return prefixAffinity;
  }

  /** Sets the affinity to the upstream that has the beginning of the prompt in its cache. */
  public void setPrefixAffinity(TicketRequest.RequestAffinity affinity) {
    prefixAffinity = affinity;
  }

  /**
   * Returns whether the answer will not state its usage, because the request runs in the
   * background.
   */
  boolean isCostFinal() {
    return traits.costFinal();
  }

  /** Returns an id in the body that only the upstream that gave it knows, or null. */
  @Nullable String refersTo() {
    return traits.refersTo();
  }

  /** Returns the models that the body names as substitutes for its own. */
  public List<NamedModel> furtherModels() {
    return traits.furtherModels();
  }

  /**
   * Returns the largest maximum of output that the body may state for one answer; {@link
   * RequestContent#UNSTATED} when it states none.
   */
  public long statedOutput() {
    return sentMaximum.stated();
  }

  /**
   * Returns the maximum of output for one answer that is written into the body, because the body
   * states none; {@link RequestContent#UNSTATED} when none is written.
   */
  public long addedMaximum() {
    return sentMaximum.added();
  }

  /** Sets that maximum; the body must have been read before. */
  public void addMaximum(long tokens) {
    sentMaximum = sentMaximum.adding(tokens);
    if (tokens == RequestContent.UNSTATED) {
      spots = spots.withoutPlaces(); // a request that waits keeps no more than is needed
    }
  }

  /**
   * Returns the maximum of output for one answer to which those in the body are lowered; {@link
   * RequestContent#UNSTATED} when they are sent as they are.
   */
  long loweredMaximum() {
    return spots.maxima().stream().anyMatch(each -> each.tokens() > sentMaximum.stated())
        ? sentMaximum.stated()
        : RequestContent.UNSTATED;
  }

  /** Lowers the maxima of output to what budgets keep free for the answers. */
  private void lowerMaxima(long allTokens) {
    sentMaximum = sentMaximum.within(allTokens);
    RequestContent content = requestContent;
    if (content != null && content.states() && !spots.maxima().isEmpty()) {
      // an answer that ends there would have been longer
      requestContent = content.stating(sentMaximum.stated());
    }
  }

  /** Returns the largest usage that the answer can state and be believed. */
  UsageBound usageBound() {
    return usageBound;
  }

  /** Returns the places where the body can be changed. */
  public WeighedRequest.Spots spots() {
    return spots;
  }

  /** Notes that a streamed body began to be read, so that it cannot be sent again. */
  public void uploads() {
    uploading = true;
  }

  /** Notes that a streamed body turned out to be bad. */
  public void uploadFails(BadUpload error) {
    badUpload = error;
  }

  /** Returns what is wrong with a streamed body, or null. */
  public @Nullable BadUpload badUpload() {
    return badUpload;
  }

  /** Returns whether the request could be sent once more. */
  public boolean repeatable() {
    return (weighed || !uploading) && ticketSettlement != null;
  }

  /** Returns what was charged for the current attempt, or null before its ticket was granted. */
  public @Nullable TicketSettlement settlement() {
    return ticketSettlement;
  }

  /** Lets the client ask about the request. */
  public RequestContext follow(TrackedRequest request) {
    tracked = request;
    return this;
  }

  /** Notes that the request has another ticket, which may have to wait. */
  public void submitted(ParkedTicket parkedTicket) {
    assert loop.owns();
    latestTicket = parkedTicket;
    if (over) {
      parkedTicket.cancel();
    }
    requestTrail.submitted(parkedTicket);
    if (tracked != null) {
      tracked.submitted(endpoint, parkedTicket);
    }
  }

  /** Notes that the request will not be served, and the status that its client is told. */
  void refused(Refusal refusal, int status) {
    requestTrail.refused(refusal);
    if (tracked != null) {
      tracked.refused(new TrackedRequest.Answer(status, refusal.reason().code()));
    }
  }

  /**
   * Notes that the latest ticket can go. Returns the refusal of a request that cannot be served any
   * more, and gives everything back that the ticket took; null when the request goes on.
   */
  public @Nullable Refusal granted(TicketSettlement granted, long now) {
    assert loop.owns();
    Refusal outdated = outdated(granted);
    if (outdated != null) {
      granted.refused(outdated, now);
      return outdated;
    }
    ticketSettlement = granted;
    lowerMaxima(granted.keptOutput());
    requestTrail.released(granted);
    if (tracked != null) {
      tracked.granted(granted);
    }
    return null;
  }

  /**
   * Notes that the request has ended, in whatever way. Charges that nobody has settled are given
   * back, and a ticket that still waits, or comes later, is cancelled.
   */
  public void ends(long now) {
    assert loop.owns();
    over = true;
    if (latestTicket == null) {
      return;
    }
    latestTicket.cancel();
    if (ticketSettlement != null) {
      ticketSettlement.abandoned(now);
    }
    endpoint.requestEnds();
  }

  /** Returns the response that reads the usage while it is written; not to be asked before. */
  public TappedResponse tapped() {
    return Objects.requireNonNull(tappedResponse);
  }

  /** Notes the response that reads the usage while it is written. */
  public void tapped(TappedResponse response) {
    tappedResponse = response;
  }

  /** Returns the response that continues the answer that heartbeats began, or null. */
  public @Nullable LateResponse late() {
    return lateResponse;
  }

  /** Notes that heartbeats began the answer. */
  public void late(LateResponse response) {
    lateResponse = response;
  }
}
