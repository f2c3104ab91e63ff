package io.penstock.provider.anthropic;

import io.penstock.provider.request.AttachmentTokens;
import io.penstock.provider.request.BodyMembers;
import io.penstock.provider.request.ContentText;
import io.penstock.provider.request.ContentText.Messages;
import io.penstock.provider.request.PlainText;
import io.penstock.provider.request.ToolList;
import java.util.Set;

/** The bodies of Anthropic's calls that are weighed. */
final class AnthropicBodies {
  /**
   * Sources: Anthropic, "Vision" (width × height ÷ 750, for the largest image that is not scaled
   * down) and "PDF support" (up to 3,000 tokens a page).
   */
  private static final AttachmentTokens ATTACHMENTS =
      new AttachmentTokens(1_600, 3_000, 32, 300, 100);

  private static final ContentText.Names NAMES =
      new ContentText.Names(ATTACHMENTS, Set.of(), Set.of("input"));

  private AnthropicBodies() {}

  /** Returns a reader of a request for messages. */
  static BodyMembers messages() {
    BodyMembers body = new BodyMembers();
    return body.maximum("max_tokens")
        .thinking("thinking", "budget_tokens")
        .user("metadata", "user_id", AgentUser::device)
        .counts(new ContentText(NAMES, Messages.EACH, null), "messages")
        .counts(new ContentText(NAMES, Messages.NONE, null), "system")
        .counts(new ToolList(null), "tools")
        .addInput("mcp_servers", "container")
        .prompt(new MarkedPrefix(body::quarterTokens));
  }

  /** Returns a reader of a request for a text completion, the older call. */
  static BodyMembers completion() {
    return new BodyMembers()
        .maximum("max_tokens_to_sample")
        .user("metadata", "user_id", AgentUser::device)
        .counts(new PlainText(null), "prompt");
  }
}
