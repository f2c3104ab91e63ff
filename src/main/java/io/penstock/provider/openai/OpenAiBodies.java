package io.penstock.provider.openai;

import io.penstock.provider.request.AttachmentTokens;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.ContentText;
import io.penstock.provider.request.ContentText.Messages;
import io.penstock.provider.request.JsonText;
import io.penstock.provider.request.MaximumPlaces;
import io.penstock.provider.request.PlainText;
import io.penstock.provider.request.SteppedPrefix;
import io.penstock.provider.request.ToolList;
import java.util.Set;

/** The bodies of OpenAI's calls that are weighed, but for those with classes of their own. */
public final class OpenAiBodies {
  /**
   * Sources: OpenAI, "Images and vision" (85 + 4 × 170 tokens for a square image of 1,024 pixels in
   * high detail), "File inputs" (text and an image of each page) and "Realtime costs" (10 tokens a
   * second of audio).
   */
  static final AttachmentTokens ATTACHMENTS = new AttachmentTokens(765, 1_765, 10, 300, 100);

  /**
   * The smallest prompt that OpenAI caches, in tokens. Source: OpenAI's guide to prompt caching.
   */
  static final long SMALLEST_CACHED = 1_024;

  /**
   * Members by which OpenAI, Azure and servers that took over their calls search, or take up what
   * they have stored. Sources: OpenAI's reference; Azure OpenAI, "On your data"; xAI, "Live
   * search"; OpenRouter, "Web search"; Alibaba Cloud, "Web search".
   */
  static final String[] ADD_INPUT = {
    "web_search_options",
    "data_sources",
    "dataSources",
    "search_parameters",
    "plugins",
    "enable_search"
  };

  /** A prompt as the numbers of its tokens, which vLLM takes beside or in place of its text. */
  private static final String TOKENS = "prompt_token_ids";

  private static final ContentText.Names CHAT =
      new ContentText.Names(
          ATTACHMENTS,
          Set.of("image_url", "input_audio", "file", "document_url", "video_url", "audio_url"),
          Set.of("input"));

  private OpenAiBodies() {}

  /** Returns a reader of a request for chat completions. */
  static BodyMembers chat() {
    return chat("max_completion_tokens", "max_tokens").asksUsage();
  }

  /**
   * Returns a reader of such a request to a provider that took over the call.
   *
   * @param maxima the members that state the maximum of output
   */
  public static BodyMembers chat(String... maxima) {
    BodyMembers body = new BodyMembers();
    return body.maximum(maxima)
        .answers("n")
        .user("user", null)
        .counts(new ContentText(CHAT, Messages.EACH, body.kept()), "messages")
        .counts(new ToolList(body.kept()), "tools")
        .counts(new JsonText(body.kept()), "functions")
        .counts(new JsonText(body.kept()), "response_format")
        .counts(new JsonText(body.kept()), "documents")
        .counts(new JsonText(body.kept()), "chat_template")
        .counts(new JsonText(body.kept()), "chat_template_kwargs")
        .counts(new PlainText(body.kept()), TOKENS)
        .addInput(ADD_INPUT)
        .maximumPlaces(MaximumPlaces.ofBody(maxima))
        .prompt(
            new SteppedPrefix(
                model -> SMALLEST_CACHED,
                body::quarterTokens,
                "tools",
                "functions",
                "response_format",
                "messages"));
  }

  /**
   * Returns a reader of a request for text completions. Its prompt is text or tokens, or a list of
   * these, each of which is completed separately.
   */
  public static BodyMembers completions() {
    BodyMembers body = new BodyMembers();
    return body.maximum("max_tokens")
        .answers("n", "best_of")
        .user("user", null)
        .inputs(new PlainText(body.kept()), "prompt")
        .counts(new PlainText(body.kept()), "suffix")
        .counts(new PlainText(body.kept()), TOKENS)
        .maximumPlaces(MaximumPlaces.ofBody("max_tokens"))
        .asksUsage();
  }

  /** Returns a reader of a request for embeddings. Its input is text or tokens. */
  public static BodyMembers embeddings() {
    BodyMembers body = new BodyMembers();
    return body.withoutOutput().user("user", null).counts(new PlainText(body.kept()), "input");
  }
}
