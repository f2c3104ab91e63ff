package io.penstock.provider.openai;

import io.penstock.json.JsonWalk;
import io.penstock.provider.request.BodyMember;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.ContentText;
import io.penstock.provider.request.ContentText.Messages;
import io.penstock.provider.request.JsonText;
import io.penstock.provider.request.MaximumPlaces;
import io.penstock.provider.request.SteppedPrefix;
import io.penstock.provider.request.ToolList;
import io.penstock.provider.request.UnseenInput;
import io.penstock.provider.request.WeighedRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request for a response to estimate its cost: text, or a list of items of any type. Its
 * instructions, and an input that is only text, count as a message each.
 */
final class OpenAiResponses extends BodyMembers {
  /** Members that represent an image, a recording or a file. */
  private static final Set<String> ATTACHMENTS =
      Set.of("image_url", "file_id", "file_data", "file_url", "input_audio", "result");

  private static final String MAXIMUM = "max_output_tokens";

  /** Longest reference that is read. */
  private static final int LONGEST_ID = 256;

  private final Response previous = new Response();
  private @Nullable String response;
  private @Nullable String conversation;
  private @Nullable String file;
  private boolean background;

  /**
   * @param shortens whether the call shortens a conversation, and takes no maximum of output
   */
  OpenAiResponses(boolean shortens) {
    maximum(MAXIMUM)
        .user("user", null)
        .counts(new ContentText(names(Set.of()), Messages.ALL_AS_ONE, kept()), "instructions")
        .counts(new Input(), "input")
        .counts(new Template(), "prompt")
        .counts(new ToolList(kept()), "tools")
        .counts(new JsonText(kept()), "text")
        .addInput(OpenAiBodies.ADD_INPUT)
        .states(new Background(), "background")
        .knows(previous, "previous_response_id")
        .knows(new Conversation(), "conversation")
        .prompt(
            new SteppedPrefix(
                model -> OpenAiBodies.SMALLEST_CACHED,
                this::quarterTokens,
                "tools",
                "text",
                "prompt",
                "instructions",
                "input"));
    if (!shortens) {
      maximumPlaces(MaximumPlaces.ofBody(MAXIMUM));
    }
  }

  private static ContentText.Names names(Set<String> json) {
    return new ContentText.Names(OpenAiBodies.ATTACHMENTS, ATTACHMENTS, json);
  }

  /**
   * Returns the properties, with the reference of the request to an object that only one upstream
   * has: the previous response, else the conversation, else a file.
   */
  @Override
  protected WeighedRequest.Traits traits() {
    String id = response != null ? response : conversation != null ? conversation : file;
    boolean alone = addsInputOnlyBy(previous);
    return new WeighedRequest.Traits(background, id, alone ? response : null);
  }

  private static @Nullable String id(JsonWalk at) {
    return at.isString() && at.isAtMost(LONGEST_ID) ? at.text() : null;
  }

  /** The items of the conversation. Some may name a file. */
  private final class Input extends ContentText {
    Input() {
      super(names(Set.of("tools")), Messages.EACH_OR_TEXT, kept());
    }

    @Override
    public void scalar(JsonWalk at) {
      if (file == null && "file_id".equals(at.name())) {
        file = id(at);
      }
      super.scalar(at);
    }
  }

  /** A template of a prompt, which may name the model. */
  private final class Template extends JsonText {
    Template() {
      super(kept());
    }

    @Override
    public void open(JsonWalk at, boolean array) {
      modelIsOptional();
      super.open(at, array);
    }

    @Override
    public boolean unseenInput() {
      return textBytes() > 0;
    }
  }

  private final class Background implements BodyMember {
    @Override
    public void scalar(JsonWalk at) {
      background = at.depth() == 1 ? at.isTrue() : background;
    }
  }

  private final class Response extends UnseenInput {
    @Override
    public void open(JsonWalk at, boolean array) {
      super.open(at, array);
      response = null;
    }

    @Override
    public void scalar(JsonWalk at) {
      super.scalar(at);
      response = at.depth() == 1 ? id(at) : response;
    }
  }

  /** An id on its own, or in the object of a conversation. */
  private final class Conversation extends UnseenInput {
    @Override
    public void open(JsonWalk at, boolean array) {
      super.open(at, array);
      conversation = at.depth() == 1 ? null : conversation;
    }

    @Override
    public void scalar(JsonWalk at) {
      super.scalar(at);
      if (at.depth() == 1 || (at.depth() == 2 && "id".equals(at.name()))) {
        conversation = id(at);
      }
    }
  }
}
