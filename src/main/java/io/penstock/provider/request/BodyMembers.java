package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import io.penstock.prefix.HashKey;
import io.penstock.prefix.PromptPrefix;
import io.penstock.tokenizer.TokenEstimate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request by a table of the members of its outermost object. A provider says
 * for each of its calls which members count, and which state a parameter. Each belongs to one
 * request; not thread-safe.
 */
public class BodyMembers implements JsonWalk.Visitor {
  /** Longest name of a user, in characters. */
  static final int MAX_USER_LENGTH = 4_096;

  /** Most answers that a request may ask for. */
  public static final int MAX_ANSWERS = 10_000;

  private final Map<String, BodyMember> members = new LinkedHashMap<>();
  private final SingleMembers single = new SingleMembers();
  private final List<BodyMember> counted = new ArrayList<>();
  private final List<StatedCount> maxima = new ArrayList<>();
  private final List<StatedCount> answers = new ArrayList<>();
  private final FurtherModels furtherModels = new FurtherModels();
  private StatedModel model;
  private String product = "the output maximum times n";
  private boolean generates = true;
  private boolean stream;
  private @Nullable String streamDoubt;
  private @Nullable String user;
  private long thinkingTokens;
  private @Nullable KeptText keptText;
  private @Nullable PlainText inputs;
  private @Nullable AskedUsage askedUsage;
  private @Nullable MaximumPlaces places;
  private @Nullable PromptReader prompt;
  private @Nullable BodyMember current;

  /** Creates a table for a request with its model in the path. */
  public BodyMembers(StatedModel model, boolean stream) {
    this.model = model;
    this.stream = stream;
    single.add("model");
  }

  /** Creates a table with the members that state the model, further models, and the stream. */
  public BodyMembers() {
    this(new StatedModel(), false);
    members.put("model", model);
    states(new StreamFlag(), "stream");
    states(furtherModels, FurtherModels.MODELS);
    states(furtherModels, FurtherModels.ROUTE);
  }

  /** Adds a member, under one of several names, that counts as input. */
  public final BodyMembers counts(BodyMember member, String... names) {
    counted.add(member);
    return states(member, names);
  }

  /** Adds a member, under one of several names, that decides about the request. */
  public final BodyMembers states(BodyMember member, String... names) {
    single.add(names);
    return knows(member, names);
  }

  /** Adds a member, under one of several names, that may be there twice. */
  public final BodyMembers knows(BodyMember member, String... names) {
    for (String name : names) {
      members.put(name, member);
    }
    return this;
  }

  /** Adds members that make the provider add input that the body does not contain. */
  public final BodyMembers addInput(String... names) {
    for (String name : names) {
      knows(new UnseenInput(), name);
    }
    return this;
  }

  /** Adds members that state the largest output of one answer; the largest of them counts. */
  public final BodyMembers maximum(String... names) {
    for (String name : names) {
      StatedCount count = StatedCount.ofTokens(name);
      maxima.add(count);
      states(count, name);
    }
    return this;
  }

  /** Adds members that state the number of answers; the largest of them counts. */
  public final BodyMembers answers(String... names) {
    for (String name : names) {
      StatedCount count = new StatedCount(name, 1, MAX_ANSWERS);
      answers.add(count);
      states(count, name);
    }
    return this;
  }

  /**
   * Adds numbers that are within a member.
   *
   * @param what the name of their product
   */
  public final BodyMembers numbers(
      String what, List<StatedCount> ofMaxima, List<StatedCount> ofAnswers) {
    product = what;
    maxima.addAll(ofMaxima);
    answers.addAll(ofAnswers);
    return this;
  }

  /** Says where a maximum is written into a body that states none. */
  public final BodyMembers maximumPlaces(MaximumPlaces found) {
    places = found;
    return this;
  }

  /**
   * Adds the member that names the user.
   *
   * @param inside its member with the name; null if it is the name itself
   */
  public final BodyMembers user(String name, @Nullable String inside) {
    return user(name, inside, UnaryOperator.identity());
  }

  /**
   * Adds the member that names the user.
   *
   * @param inside its member with the name; null if it is the name itself
   * @param named the user in what is stated
   */
  public final BodyMembers user(String name, @Nullable String inside, UnaryOperator<String> named) {
    return knows(new UserName(inside, named), name);
  }

  /**
   * Adds the member that states how much output is for thinking.
   *
   * @param inside its member with the number
   */
  public final BodyMembers thinking(String name, String inside) {
    return knows(new Thinking(inside), name);
  }

  /** Adds the option by which a stream is asked for its usage. */
  public final BodyMembers asksUsage() {
    askedUsage = new AskedUsage();
    return knows(askedUsage, AskedUsage.OPTIONS);
  }

  /** Adds a list of inputs. Each gets the number of answers that is asked for. */
  public final BodyMembers inputs(PlainText list, String name) {
    inputs = list;
    return counts(list, name);
  }

  /** Says what finds the cached beginnings of the prompt; null if nothing does. */
  public final BodyMembers prompt(@Nullable PromptReader reader) {
    prompt = reader;
    return this;
  }

  /** Says that there is no output. */
  public final BodyMembers withoutOutput() {
    generates = false;
    return this;
  }

  /** Takes the model from the path; the member of the body is ignored. */
  public final BodyMembers ofModel(String name) {
    members.remove("model");
    model = StatedModel.ofPath(name, StatedModel.fault(name));
    return this;
  }

  /** Allows the request to name no model. */
  public final void modelIsOptional() {
    model.optional();
  }

  /** Returns a place for text that a tokenizer may count, behind all earlier ones. */
  public final KeptText.Part kept() {
    if (keptText == null) {
      keptText = new KeptText();
    }
    return keptText.part();
  }

  /** Returns the estimated size of a member so far, in quarters of a token: its bytes of text. */
  public final long quarterTokens(String name) {
    BodyMember member = members.get(name);
    return member == null ? 0 : member.textBytes() + TokenEstimate.bytes(member.otherTokens());
  }

  /** Begins a body; the fingerprints of its beginnings, if there are any, are made with a key. */
  final void begin(HashKey key) {
    if (prompt != null) {
      prompt.begin(key);
    }
  }

  @Override
  public final void open(JsonWalk at, boolean array) {
    if (places != null) {
      places.open(at);
    }
    if (at.depth() == 0) {
      if (askedUsage != null) {
        askedUsage.open(at, array);
      }
      return;
    }
    BodyMember member = member(at);
    if (member != null) {
      member.open(at, array);
    }
    if (prompt != null) {
      prompt.open(at, array);
    }
  }

  @Override
  public final void close(JsonWalk at) {
    if (at.depth() == 0) {
      return;
    }
    if (current != null) {
      current.close(at);
    }
    if (prompt != null) {
      prompt.close(at);
    }
  }

  @Override
  public final void scalar(JsonWalk at) {
    if (places != null) {
      places.scalar(at);
    }
    BodyMember member = member(at);
    if (member != null) {
      member.scalar(at);
    }
    if (prompt != null) {
      prompt.scalar(at);
    }
  }

  /** Returns the member at, or around, the walk's place, and notes its name if it begins here. */
  private @Nullable BodyMember member(JsonWalk at) {
    String name = at.depth() == 1 ? at.name() : null;
    if (name != null) {
      single.found(name);
      current = members.get(name);
    }
    return current;
  }

  /** Returns the receiver of the body's bytes, or null; it sees each token before this table. */
  final @Nullable CompactBytes compactBytes() {
    return prompt == null ? null : prompt.compactBytes();
  }

  /** Returns further properties of the request, after its body was read to its end. */
  protected WeighedRequest.Traits traits() {
    return WeighedRequest.Traits.NONE;
  }

  /**
   * Returns whether no other member makes the provider add input that the body does not contain.
   */
  protected final boolean addsInputOnlyBy(@Nullable BodyMember member) {
    return members.values().stream().noneMatch(each -> !each.equals(member) && each.unseenInput());
  }

  /** Returns the request with its estimated cost, after the body was read to its end. */
  protected WeighedRequest weigh(EndpointSpec.Reading reading) {
    long times = most(answers, 1) * (inputs == null ? 1 : inputs.inputs());
    List<MaximumPlace> boundless = StatedCount.boundless(maxima);
    // the larger of two maxima counts, and none is larger than any
    long maximum = boundless.isEmpty() ? most(maxima, StatedCount.UNSTATED) : StatedCount.UNSTATED;
    String fault = fault();
    if (fault != null) {
      return new WeighedRequest.Malformed(fault);
    }
    long text = 0;
    long other = 0;
    for (BodyMember each : counted) {
      text += each.textBytes();
      other += each.otherTokens();
    }
    RequestContent content =
        new RequestContent(
                model.name(), TokenEstimate.tokens(text), other, maximum, times, generates)
            .unseenInput(!addsInputOnlyBy(null));
    List<StatedMaximum> stated = boundless.isEmpty() ? StatedCount.stated(maxima) : List.of();
    List<MaximumPlace> free =
        places == null || !stated.isEmpty() ? List.<MaximumPlace>of() : places.found();
    long output = Math.clamp(reading.defaultOutputTokens(), 0, Cost.MAX_TOKENS);
    return new WeighedRequest.Request(
        content,
        content.expected(output),
        stream,
        user,
        keptText == null ? null : keptText.whole(),
        new WeighedRequest.Spots(
            model.at(),
            model.length(),
            stream && askedUsage != null ? askedUsage.edit() : null,
            stated,
            boundless.isEmpty() ? free : boundless),
        traits().with(furtherModels.named(), thinkingTokens),
        prompt == null ? PromptPrefix.NONE : prompt.prefix(model.name()),
        new WeighedRequest.Doubts(doubt(maximum, times), model.doubt()));
  }

  private @Nullable String fault() {
    if (single.fault() != null) {
      return single.fault();
    }
    if (model.fault() != null) {
      return model.fault();
    }
    for (BodyMember each : members.values()) {
      if (each.fault() != null) {
        return each.fault();
      }
    }
    return null;
  }

  /** Returns what cannot be read of what decides how many tokens the request may use, or null. */
  private @Nullable String doubt(long maximum, long times) {
    for (BodyMember each : members.values()) {
      if (!each.equals(model) && each.doubt() != null) {
        return each.doubt();
      }
    }
    return maximum > Cost.MAX_TOKENS / times
        ? product + " is out of range, expected 0 to " + Cost.MAX_TOKENS
        : null;
  }

  /** Returns the largest of the numbers that are stated, at least {@code least}. */
  private static long most(List<StatedCount> counts, long least) {
    long most = least;
    for (StatedCount each : counts) {
      most = Math.max(most, each.value());
    }
    return most;
  }

  /** The member that says whether the answer is a stream. */
  private final class StreamFlag implements BodyMember {
    @Override
    public void open(JsonWalk at, boolean array) {
      streamDoubt = "stream is not true or false";
    }

    @Override
    public void scalar(JsonWalk at) {
      if (at.depth() == 1) {
        stream = at.isTrue();
        streamDoubt = at.isBoolean() || at.isNull() ? null : "stream is not true or false";
      }
    }

    @Override
    public @Nullable String doubt() {
      return streamDoubt;
    }
  }

  /** The member with the output for thinking; anything but a number of tokens counts as none. */
  private final class Thinking implements BodyMember {
    private final String inside;

    Thinking(String inside) {
      this.inside = inside;
    }

    @Override
    public void scalar(JsonWalk at) {
      if (at.depth() == 2 && inside.equals(at.name())) {
        StatedCount count = new StatedCount(inside, 0, Cost.MAX_TOKENS);
        count.read(at);
        thinkingTokens = Math.max(0, count.value());
      }
    }
  }

  /** The member that names the user; a value that is not a string, or too long, counts as none. */
  private final class UserName implements BodyMember {
    private final @Nullable String inside;
    private final UnaryOperator<String> named;

    UserName(@Nullable String inside, UnaryOperator<String> named) {
      this.inside = inside;
      this.named = named;
    }

    @Override
    public void open(JsonWalk at, boolean array) {
      user = at.depth() == 1 ? null : user;
    }

    @Override
    public void scalar(JsonWalk at) {
      if (at.depth() == (inside == null ? 1 : 2) && (inside == null || inside.equals(at.name()))) {
        user = at.isString() && at.isAtMost(MAX_USER_LENGTH) ? named.apply(at.text()) : null;
      }
    }
  }
}
