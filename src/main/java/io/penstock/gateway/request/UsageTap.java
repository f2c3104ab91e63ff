package io.penstock.gateway.request;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.cost.UsageBound;
import io.penstock.dispatch.CallEnd;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.Upstream;
import io.penstock.provider.answer.AnswerError;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.answer.GivenId;
import io.penstock.provider.answer.SessionUsage;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatusCode;
import reactor.core.publisher.SignalType;

/**
 * Reads an answer as its bytes pass, and settles the request when the answer ends, in whatever way.
 */
public final class UsageTap {
  public static final String CLIENT_GONE = "cancelled";

  /** Receives how an answer with a good status turns out. */
  public interface Outcome {
    /**
     * The answer shows that the model works.
     *
     * @return whether that is enough; if not, its end is told too
     */
    boolean began();

    /** The answer has ended well, or its client left it. */
    void ended();

    /** The answer states an error; a part of it may have passed to the client. */
    void failed(AnswerError error);
  }

  private final RequestContext requestContext;
  private final Ticker ticker;
  private final UpstreamComplaints complaints;
  private final AnswerLearning answerLearning;
  private @Nullable AnswerReader reader;
  private @Nullable GivenId given;
  private @Nullable AskedAnswer asked;
  private @Nullable String id;
  private @Nullable Outcome outcome;
  private boolean told;
  private boolean failedEarly;

  /** The error that the answer states although its status is a good one, or null. */
  private @Nullable AnswerError failure;

  private boolean successful;
  private int status = 200;
  private boolean ended;

  /** Whether output of the current attempt's stream has come. */
  private boolean begun;

  private boolean inputSettled;
  private volatile @Nullable SessionUsage session;

  public UsageTap(
      RequestContext requestContext,
      Ticker ticker,
      UpstreamComplaints complaints,
      AnswerLearning answerLearning) {
    this.requestContext = requestContext;
    this.ticker = ticker;
    this.complaints = complaints;
    this.answerLearning = answerLearning;
  }

  public RequestContext requestContext() {
    return requestContext;
  }

  /** Returns what was charged for the current attempt. */
  TicketSettlement settlement() {
    return Objects.requireNonNull(requestContext.settlement());
  }

  /** Handles the head of the answer. */
  void begins(
      @Nullable HttpStatusCode status,
      @Nullable String contentType,
      @Nullable String contentEncoding) {
    successful = status == null || status.is2xxSuccessful();
    this.status = status == null ? this.status : status.value();
    if (requestContext.weighed()) {
      reader = requestContext.protocol().answerReader(contentType, contentEncoding);
    }
    boolean matters = UpstreamAffinity.matter(requestContext) || mayBeAskedFor();
    given = successful && matters ? new GivenId() : null;
    asked = successful ? AskedAnswer.of(requestContext.call(), contentType, contentEncoding) : null;
  }

  /**
   * Returns whether later requests may ask for the answer, or refer to it, so that its usage
   * matters.
   */
  private boolean mayBeAskedFor() {
    return requestContext.weighed() && requestContext.call().path().endsWith("/responses");
  }

  /** Sets the listener that learns the outcome of the answer while it passes to the client. */
  public void reportTo(Outcome next) {
    outcome = next;
    failedEarly = false;
  }

  /**
   * Notes that the answer of the current attempt is an error before the client has received
   * anything; returns what kind of failure it is. Output that came before the error is charged.
   *
   * @param failed the reader that found the error in an answer with a good status, or null
   * @param status the status of the error
   */
  public AttemptFailure failedBefore(@Nullable AnswerReader failed, int status) {
    failedEarly = failed != null;
    if (failed != null && failed.textTokens() > 0) {
      settlement().produced(produced(failed), ticker.nanos());
      return AttemptFailure.BROKEN;
    }
    return Objects.requireNonNull(AttemptFailure.of(status));
  }

  /** Tells how the answer turns out, as soon as its bytes show that. */
  private void tell(AnswerReader reading) {
    Outcome listener = outcome;
    if (listener == null) {
      return;
    }
    AnswerError error = reading.error();
    if (error != null) {
      outcome = null;
      listener.failed(error);
    } else if (!told && reading.hasBegun()) {
      told = listener.began();
    }
  }

  /** Tells how an answer turned out that ends now. */
  private void tellEnd(@Nullable AnswerReader read, SignalType signal) {
    if (read != null) {
      tell(read);
    }
    Outcome listener = outcome;
    if (listener == null) {
      return;
    }
    outcome = null;
    if (!told && !(signal == SignalType.ON_COMPLETE)) {
      told = listener.began();
    } else if (!told) {
      listener.ended();
    }
  }

  void passes(DataBuffer buffer) {
    requestContext.trail().bytesForwarded(buffer.readableByteCount());
    settlement().answerBegan();
    note(buffer);
    ask(buffer);
    AnswerReader reading = reader;
    if (reading == null) {
      return;
    }
    try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
      bytes.forEachRemaining(reading::feed);
    }
    long now = ticker.nanos();
    settleInput(reading, now);
    settlement().produced(produced(reading), now);
    if (!begun && successful && requestContext.stream() && reading.hasBegun()) {
      begun = true;
      answerLearning.began(requestContext, now);
    }
    tell(reading);
  }

  /** Settles the input once the answer states it, which a stream may do in its first event. */
  private void settleInput(AnswerReader reading, long now) {
    TokenUsage stated = inputSettled || !successful ? null : reading.usage();
    if (stated != null) {
      inputSettled = true;
      TokenUsage possible = bound(reading).within(stated, reading.textTokens());
      settlement().inputStated(possible, now);
      answerLearning.inputStated(requestContext, possible, now);
    }
  }

  private void ask(DataBuffer buffer) {
    AskedAnswer reading = asked;
    if (reading == null) {
      return;
    }
    try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
      bytes.forEachRemaining(reading::feed);
    }
  }

  /** Notes that the provider refused the current attempt because of its limits. */
  public void limited() {
    answerLearning.limited(requestContext);
  }

  /** Returns the output so far, as far as the answer can be believed. */
  private long produced(AnswerReader reading) {
    return bound(reading).output(reading.producedTokens(), reading.textTokens());
  }

  private UsageBound bound(AnswerReader reading) {
    return requestContext.usageBound().times(reading.calls());
  }

  /** Begins a session, in which messages pass instead of an answer. */
  public void sessionBegins() {
    session = requestContext.upstreamProtocol().sessionUsage();
  }

  /**
   * Handles a part of a message from the upstream in a session.
   *
   * @param last whether the message ends with it
   */
  public void messagePasses(ByteBuffer bytes, boolean last) {
    SessionUsage reading = session;
    if (reading == null) {
      return;
    }
    reading.feed(bytes, last);
    TokenUsage used = last ? reading.usage() : null;
    if (used != null) {
      settlement().produced(used.outputTokens(), ticker.nanos());
    }
  }

  private static long outputOf(@Nullable TokenUsage usage) {
    return usage == null ? 0 : usage.outputTokens();
  }

  /** Returns the usage that a session has stated, or null. */
  private @Nullable TokenUsage sessionUsage() {
    SessionUsage reading = session;
    return reading == null ? null : reading.usage();
  }

  /** Remembers which upstream gave an id that later requests may refer to. */
  private void note(DataBuffer buffer) {
    GivenId reading = given;
    if (reading == null) {
      return;
    }
    try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
      bytes.forEachRemaining(reading::feed);
    }
    String found = reading.id();
    if (found != null) {
      id = found;
      if (UpstreamAffinity.matter(requestContext)) {
        answerLearning.rememberOrigin(upstream(), found);
      }
    }
    given = reading.done() ? null : reading;
  }

  /**
   * Settles the request when the body of the answer ended. Only the signal of the body's own stream
   * tells reliably how it ended; it comes first, and later signals have no effect.
   */
  public void ends(SignalType signal) {
    long now = ticker.nanos();
    settleAsked(now);
    AnswerReader read = reader;
    if (read != null && signal == SignalType.ON_COMPLETE) {
      read.finish();
      settleInput(read, now);
    }
    tellEnd(read, signal);
    failure = read == null || !successful ? failure : read.error();
    TokenUsage stated = read == null ? sessionUsage() : read.usage();
    long produced = read == null ? outputOf(stated) : produced(read, stated, signal);
    // a session has many answers, so no bound of one is known for it
    TokenUsage tokenUsage =
        read == null || stated == null ? stated : bound(read).within(stated, read.textTokens());
    if (tokenUsage == null && successful && failure == null && requestContext.isCostFinal()) {
      Cost cost = requestContext.cost();
      tokenUsage = new TokenUsage(cost.inputTokens(), 0, cost.outputTokens());
    }
    TicketSettlement ticketSettlement = settlement();
    AnswerError stating = failure;
    boolean refused = failedEarly && produced == 0;
    int ending = stating != null && refused ? stating.status() : status;
    CallEnd answered = CallEnd.answered(ending, tokenUsage, produced);
    boolean open = stating == null && leavesOpen(read, stated, signal);
    CallEnd end = open ? answered.usingUnseen() : answered;
    switch (signal) {
      case ON_COMPLETE -> ticketSettlement.served(end, now);
      case CANCEL -> ticketSettlement.cancelled(end, now);
      default -> ticketSettlement.failed(UpstreamFailure.midway(), tokenUsage, produced, now);
    }
    if (!ended) {
      ended = true;
      names(read);
      remember(tokenUsage, stated != null, produced, now);
      answerLearning.called(requestContext, tokenUsage, error(signal), now);
    }
    if (successful && stated != null && read != null) {
      usageStated(now);
    }
    if (signal == SignalType.ON_COMPLETE && successful && failure == null) {
      answerLearning.answered(requestContext, tokenUsage, stated == null ? null : id, now);
    }
    reader = null;
    if (read != null) {
      read.close();
    }
    String warning = read == null ? null : read.warning();
    if (warning != null) {
      complain(upstream(), warning);
    } else if (stated != null && !stated.equals(tokenUsage)) {
      complain(
          upstream(),
          "the usage states more tokens than the request allows, so only what is possible counts");
    }
  }

  /** Charges the usage of the earlier answer that was asked for, while its client is inside. */
  private void settleAsked(long now) {
    AskedAnswer read = asked;
    if (read != null) {
      asked = null;
      read.settle(
          answerLearning.lateUsage(), requestContext.caller(), requestContext.unixMillis(), now);
    }
  }

  /** Remembers an answer that may be asked for, with what is charged for it now. */
  private void remember(@Nullable TokenUsage usage, boolean stated, long produced, long now) {
    String answer = id;
    if (answer != null && successful && mayBeAskedFor()) {
      TokenUsage charged =
          usage == null ? new TokenUsage(requestContext.cost().inputTokens(), 0, produced) : usage;
      LateUsage.Payer payer =
          LateUsage.Payer.of(requestContext.caller(), requestContext.askedModel());
      answerLearning
          .lateUsage()
          .answered(answer, payer, stated, requestContext.usageBound(), charged, now);
    }
  }

  /**
   * Returns the tokens of output that an answer counts for. One that is broken off after its output
   * and before its usage counts for at least what was expected of it: reasoning, for example, is
   * not seen in the answer, but billed.
   */
  private long produced(AnswerReader read, @Nullable TokenUsage tokenUsage, SignalType signal) {
    long seen = produced(read);
    boolean brokenOff = signal != SignalType.ON_COMPLETE && tokenUsage == null;
    return brokenOff && read.isOutputComplete()
        ? Math.max(seen, requestContext.cost().outputTokens())
        : seen;
  }

  /**
   * Returns whether the provider may have added more input than the answer has stated: it states
   * none, or its client left before it was complete.
   */
  private boolean leavesOpen(
      @Nullable AnswerReader read, @Nullable TokenUsage stated, SignalType signal) {
    if (signal == SignalType.CANCEL) {
      return stated == null || (read != null && !read.isOutputComplete());
    }
    return successful && stated == null;
  }

  /** Notes that a stream stated its usage: the upstream may know the option that asks for it. */
  private void usageStated(long now) {
    Upstream upstream = settlement().upstream();
    if (upstream != null && requestContext.stream()) {
      boolean asked = requestContext.asksUsage() || requestContext.spots().asksUsage() == null;
      upstream.usageStated(requestContext.askedModel(), asked, now);
    }
  }

  private void names(@Nullable AnswerReader read) {
    String model = read == null ? null : read.model();
    if (model != null) {
      requestContext.trail().modelNamed(model);
    }
  }

  private @Nullable String error(SignalType signal) {
    if (failure != null) {
      return String.valueOf(failure.status());
    }
    if (status >= UpstreamFailure.LOWEST_ERROR_STATUS) {
      return String.valueOf(status);
    }
    return switch (signal) {
      case ON_COMPLETE -> null;
      case CANCEL -> CLIENT_GONE;
      default -> RefusalReason.UPSTREAM_UNREACHABLE.code();
    };
  }

  /** Begins an attempt. */
  public void attempt() {
    ended = false;
    begun = false;
  }

  /** Reports an attempt that failed and will be followed by another, unless that waits in vain. */
  public void missed(String error) {
    ended = true;
    answerLearning.called(requestContext, null, error, ticker.nanos());
  }

  /** Settles a request when its client went away before the body of the answer ended. */
  public void abandoned() {
    ends(SignalType.CANCEL);
  }

  /** Settles a request that gets no answer from the upstream. */
  public Refusal failed(UpstreamFailure failure) {
    ended = true;
    long now = ticker.nanos();
    TicketSettlement ticketSettlement = settlement();
    answerLearning.called(requestContext, null, failure.refusal().reason().code(), now);
    if (failure.sent()) {
      ticketSettlement.failed(failure.refusal(), 0, now);
    } else {
      ticketSettlement.refused(failure.refusal(), now);
    }
    Upstream upstream = ticketSettlement.upstream();
    if (upstream != null) {
      complain(upstream.spec().id(), failure.of(upstream.spec()));
    }
    return failure.refusal();
  }

  /**
   * Settles a request that gets a refusal instead of the upstream's answer.
   *
   * @param answered the status of that answer
   */
  public void refusedInstead(Refusal refusal, int answered) {
    ended = true;
    long now = ticker.nanos();
    answerLearning.called(requestContext, null, refusal.reason().code(), now);
    settlement().failed(refusal, CallEnd.answered(answered, null, 0), now);
  }

  /** Settles a request that gets no answer because of what the client sent. */
  public void refused(Refusal refusal) {
    ended = true;
    requestContext.trail().refused(refusal);
    settlement().failed(refusal, 0, ticker.nanos());
  }

  /** Logs what is wrong with an upstream. */
  public void complain(String upstream, String what) {
    complaints.about(upstream, what);
  }

  private String upstream() {
    var upstream = settlement().upstream();
    return upstream == null ? "-" : upstream.spec().id();
  }
}
