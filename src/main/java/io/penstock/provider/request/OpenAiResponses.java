package io.penstock.provider.request;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.CompactBytes;
import io.penstock.json.JsonWalk;
import io.penstock.json.KeptText;
import io.penstock.prefix.CacheMinimum;
import io.penstock.tokenizer.TokenEstimate;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request for a response to estimate its cost: text, or a list of items of any type. Its
 * instructions, and an input that is only text, count as a message each.
 */
public final class OpenAiResponses implements RequestVisitor {
  private static final Set<String> TEXT =
      Set.of(
          "content",
          "text",
          "refusal",
          "name",
          "arguments",
          "input",
          "output",
          "code",
          "logs",
          "query",
          "queries",
          "command",
          "commands",
          "diff",
          "filename");

  /** Members that represent an image, a recording or a file. */
  private static final Set<String> ATTACHMENTS =
      Set.of("image_url", "file_id", "file_data", "file_url", "input_audio", "result");

  private static final String MAXIMUM = "max_output_tokens";

  private final StatedParameters parameters = new StatedParameters(false, MAXIMUM);
  private final @Nullable MaximumPlaces places;
  private final Reference reference = new Reference();
  private final KeptText kept = new KeptText();
  private final ContentText instructions =
      new ContentText(AttachmentTokens.OPENAI, TEXT, ATTACHMENTS, Set.of(), kept.part());
  private final ContentText input =
      new ContentText(AttachmentTokens.OPENAI, TEXT, ATTACHMENTS, Set.of("tools"), kept.part());
  private final JsonText prompt = new JsonText(kept.part());
  private final JsonText tools = new JsonText(kept.part());
  private final JsonText format = new JsonText(kept.part());
  private final SteppedPrefix prefix =
      new SteppedPrefix(this::quarterTokens, "tools", "text", "prompt", "instructions", "input");
  private long bareMessages;
  private boolean instructed;
  private boolean prompted;
  private boolean background;

  private OpenAiResponses(@Nullable MaximumPlaces places) {
    this.places = places;
  }

  /** Returns a reader of requests for a response. */
  public static OpenAiResponses ofResponse() {
    return new OpenAiResponses(MaximumPlaces.ofBody(MAXIMUM));
  }

  /** Returns a reader of requests to shorten a conversation, which take no maximum of output. */
  public static OpenAiResponses ofCompaction() {
    return new OpenAiResponses(null);
  }

  @Override
  public void open(JsonWalk at, boolean array) {
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "instructions" -> instructions.open(at, array);
      case "input" -> input.open(at, array);
      case "prompt" -> {
        prompted = true;
        prompt.open(at);
      }
      case "tools" -> tools.open(at);
      case "text" -> format.open(at);
      default -> {
        if (at.depth() == 1) {
          reference.open(top);
          parameters.open(top);
        }
      }
    }
    prefix.open();
  }

  @Override
  public void close(JsonWalk at) {
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "instructions" -> instructions.close(at);
      case "input" -> input.close(at);
      case "prompt" -> prompt.close(at);
      case "tools" -> tools.close(at);
      case "text" -> format.close(at);
      default -> {}
    }
    prefix.close(at);
  }

  @Override
  public void scalar(JsonWalk at) {
    String top = at.name(1);
    if (top == null) {
      return;
    }
    switch (top) {
      case "instructions" -> {
        instructed = instructed || at.isString();
        instructions.scalar(at);
      }
      case "input" -> {
        bareMessages = at.depth() == 1 && at.isString() ? 1 : bareMessages;
        reference.file(at);
        input.scalar(at);
      }
      case "prompt" -> prompt.scalar(at);
      case "tools" -> tools.scalar(at);
      case "text" -> format.scalar(at);
      default -> member(at, top);
    }
    prefix.scalar(at);
  }

  /** Returns the estimated size of a member so far, in quarters of a token: its bytes of text. */
  private long quarterTokens(String top) {
    return switch (top) {
      case "instructions" -> instructions.textBytes() + TokenEstimate.bytes(instructionTokens());
      case "input" -> input.textBytes() + TokenEstimate.bytes(inputTokens());
      case "prompt" -> prompt.textBytes();
      case "tools" -> tools.textBytes();
      case "text" -> format.textBytes();
      default -> 0;
    };
  }

  private long instructionTokens() {
    return (instructed ? TokenEstimate.TOKENS_A_MESSAGE : 0) + instructions.attachmentTokens();
  }

  private long inputTokens() {
    return (input.messages() + bareMessages) * TokenEstimate.TOKENS_A_MESSAGE
        + input.attachmentTokens();
  }

  @Override
  public CompactBytes compactBytes() {
    return prefix.compactBytes();
  }

  @Override
  public @Nullable MaximumPlaces maximumPlaces() {
    return places;
  }

  private void member(JsonWalk at, String top) {
    reference.scalar(at, top);
    if (at.depth() == 1 && top.equals("user")) {
      parameters.user(at);
    } else if (at.depth() == 1 && top.equals("background")) {
      background = at.isTrue();
    } else {
      parameters.scalar(at, top);
    }
  }

  @Override
  public List<String> singleMembers() {
    return parameters.singleMembers(
        "instructions", "input", "prompt", "tools", "text", "background");
  }

  @Override
  public WeighedRequest weigh(EndpointSpec.Reading reading) {
    if (prompted) {
      parameters.modelNotNeeded();
    }
    long text =
        instructions.textBytes()
            + input.textBytes()
            + prompt.textBytes()
            + tools.textBytes()
            + format.textBytes();
    WeighedRequest weighed =
        parameters.weigh(
            new StatedParameters.Found(
                TokenEstimate.tokens(text),
                instructionTokens() + inputTokens(),
                1,
                true,
                kept.whole(),
                null,
                new WeighedRequest.Traits(background, reference.id())),
            reading);
    return weighed instanceof WeighedRequest.Request request
        ? request.with(prefix.prefix(CacheMinimum.OPENAI_TOKENS))
        : weighed;
  }

  /**
   * The reference of the request to an object that only one upstream has: the previous response,
   * else the conversation, else a file.
   */
  private static final class Reference {
    private static final int MAX_LENGTH = 256;

    private @Nullable String response;
    private @Nullable String conversation;
    private @Nullable String file;

    @Nullable String id() {
      if (response != null) {
        return response;
      }
      return conversation != null ? conversation : file;
    }

    void open(String top) {
      if (top.equals("previous_response_id")) {
        response = null;
      } else if (top.equals("conversation")) {
        conversation = null;
      }
    }

    /** Visits an id on its own, or in the object of a conversation. */
    void scalar(JsonWalk at, String top) {
      if (top.equals("previous_response_id") && at.depth() == 1) {
        response = id(at);
      } else if (top.equals("conversation")
          && (at.depth() == 1 || (at.depth() == 2 && "id".equals(at.name())))) {
        conversation = id(at);
      }
    }

    void file(JsonWalk at) {
      if (file == null && "file_id".equals(at.name())) {
        file = id(at);
      }
    }

    private static @Nullable String id(JsonWalk at) {
      return at.isString() && at.isAtMost(MAX_LENGTH) ? at.text() : null;
    }
  }
}
