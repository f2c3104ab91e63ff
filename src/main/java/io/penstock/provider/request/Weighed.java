package io.penstock.provider.request;

import io.penstock.cost.Content;
import io.penstock.cost.Cost;
import io.penstock.json.Edit;
import io.penstock.tokenizer.TokenizerInput;
import org.jspecify.annotations.Nullable;

/** What reading a request came to. */
public sealed interface Weighed {
  /**
   * A request that can be passed on.
   *
   * @param content what it holds and states
   * @param cost what it is expected to use, nothing learned
   * @param stream whether it asks for a stream
   * @param user whom it says it is for, at most 4,096 characters; null when unsaid or longer
   * @param text its input text, or null when no tokenizer is to see it
   * @param spots what may be changed in its body
   * @param traits what else matters of it
   */
  record Request(
      Content content,
      Cost cost,
      boolean stream,
      @Nullable String user,
      @Nullable CharSequence text,
      Spots spots,
      Traits traits)
      implements Weighed {
    /** A request of which nothing else is known. */
    public Request(Content content, Cost cost, boolean stream, @Nullable String user) {
      this(content, cost, stream, user, null, Spots.NONE, Traits.NONE);
    }

    /** Returns what a tokenizer needs of it. */
    public TokenizerInput tokenizerInput() {
      return new TokenizerInput(content, text);
    }

    /** Returns the model's name as the client wrote it; null where the dialect reads none. */
    public @Nullable String model() {
      return content.model();
    }
  }

  /**
   * Where the body of a request can be changed.
   *
   * @param modelAt the offset of the JSON string that names the model, quotes included; −1 when the
   *     body names none
   * @param modelLength its length in bytes
   * @param asksUsage the change that asks for the usage of a stream; null when the client asks for
   *     it, or there is none to ask for
   */
  record Spots(long modelAt, int modelLength, @Nullable Edit asksUsage) {
    /** Nothing can be changed. */
    public static final Spots NONE = new Spots(-1, 0, null);
  }

  /**
   * What else matters of a request.
   *
   * @param costStands whether its answer says nothing of what it will use, as when it runs in the
   *     background: the cost stands as usage
   * @param refersTo an id that only the upstream knows which gave it, or null
   */
  record Traits(boolean costStands, @Nullable String refersTo) {
    /** Nothing. */
    public static final Traits NONE = new Traits(false, null);
  }

  /**
   * A request that is not what the dialect says.
   *
   * @param detail what is wrong and where, without content of the body
   */
  record Malformed(String detail) implements Weighed {}
}
