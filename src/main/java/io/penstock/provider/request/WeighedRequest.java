package io.penstock.provider.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.json.BodyEdit;
import io.penstock.prefix.PromptPrefix;
import io.penstock.tokenizer.TokenizerInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of reading a request: its estimated cost, or an error. */
public sealed interface WeighedRequest {
  /**
   * A request that can be forwarded.
   *
   * @param content its text and parameters
   * @param cost its expected cost, before anything is learned
   * @param stream whether it asks for a stream
   * @param user the user it names, at most 4,096 characters; null if there is none, or a longer one
   * @param text its input text, or null if it is not for a tokenizer
   * @param spots the parts of its body that may be changed
   * @param traits other properties
   * @param prefix the beginnings of its prompt that the provider may have in its cache
   * @param doubts what it leaves open
   */
  record Request(
      RequestContent content,
      Cost cost,
      boolean stream,
      @Nullable String user,
      @Nullable CharSequence text,
      Spots spots,
      Traits traits,
      PromptPrefix prefix,
      Doubts doubts)
      implements WeighedRequest {
    /** Creates a request without further properties. */
    public Request(RequestContent content, Cost cost, boolean stream, @Nullable String user) {
      this(
          content,
          cost,
          stream,
          user,
          null,
          Spots.NONE,
          Traits.NONE,
          PromptPrefix.NONE,
          Doubts.NONE);
    }

    /** Returns the same request with another content, and its cost. */
    public Request costing(RequestContent other, Cost expected) {
      return new Request(other, expected, stream, user, text, spots, traits, prefix, doubts);
    }

    /** Returns the input for a tokenizer. */
    public TokenizerInput tokenizerInput() {
      return new TokenizerInput(content, text);
    }

    /** Returns the model's name as the client wrote it; null if the dialect reads none. */
    public @Nullable String model() {
      return content.model();
    }
  }

  /**
   * The parts of a request's body that may be changed.
   *
   * @param modelAt the offset of the JSON string that names the model, quotes included; −1 if the
   *     body names none
   * @param modelLength its length in bytes
   * @param asksUsage the change that asks for the usage of a stream; null if the client already
   *     asks for it, or there is none to ask for
   * @param maxima the maxima of output that the body states
   * @param places where it can be made to state one if it states none, for each member that could;
   *     empty if there is no such member
   */
  record Spots(
      long modelAt,
      int modelLength,
      @Nullable BodyEdit asksUsage,
      List<StatedMaximum> maxima,
      List<MaximumPlace> places) {
    /** Nothing can be changed. */
    public static final Spots NONE = new Spots(-1, 0, null, List.of(), List.of());

    /** Returns the same spots for a body that will not be made to state a maximum. */
    public Spots withoutPlaces() {
      return places.isEmpty()
          ? this
          : new Spots(modelAt, modelLength, asksUsage, maxima, List.of());
    }
  }

  /**
   * Other properties of a request.
   *
   * @param costFinal whether its answer will not state its usage, for example because it runs in
   *     the background; the expected cost then counts as its usage
   * @param refersTo an id that only the upstream that issued it knows, or null
   * @param continuedId the id of an earlier answer, if the input and output of that one is all the
   *     input that the body does not contain; else null
   * @param furtherModels the models that it lets the provider use in place of its own
   * @param thinkingTokens the output that it lets the model think, which must be less than its
   *     maximum of output; 0 when it states none
   */
  record Traits(
      boolean costFinal,
      @Nullable String refersTo,
      @Nullable String continuedId,
      List<NamedModel> furtherModels,
      long thinkingTokens) {
    /** No special properties. */
    public static final Traits NONE = new Traits(false, null, null);

    /** Creates the properties of a request that names no further models. */
    public Traits(boolean costFinal, @Nullable String refersTo, @Nullable String continuedId) {
      this(costFinal, refersTo, continuedId, List.of(), 0);
    }

    /** Returns the same properties with further models, and output for thinking. */
    Traits with(List<NamedModel> models, long thinking) {
      return models.isEmpty() && thinking == 0
          ? this
          : new Traits(costFinal, refersTo, continuedId, models, thinking);
    }
  }

  /**
   * The values that a request leaves open. It can be forwarded all the same where no limit needs to
   * know.
   *
   * @param tokens what cannot be read that decides how many tokens it may use, or null
   * @param model why it names no model, or null
   */
  record Doubts(@Nullable String tokens, @Nullable String model) {
    /** Nothing is open. */
    public static final Doubts NONE = new Doubts(null, null);
  }

  /**
   * A request that does not conform to its dialect.
   *
   * @param detail what is wrong and where, without content of the body
   */
  record Malformed(String detail) implements WeighedRequest {}
}
