package io.penstock.provider.anthropic;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The user in what Claude Code states as {@code metadata.user_id}: the device, because the session
 * beside it is another one for each conversation. Since version 2.1.78 that is JSON with a {@code
 * device_id}; before, it was {@code user_DEVICE_account_ACCOUNT_session_SESSION}. Source: coder's
 * aibridge, pull request 241.
 */
final class AgentUser {
  private static final Pattern NAMED = Pattern.compile("(user_.+?)_account_.*_session_.+");

  private AgentUser() {}

  /** Returns the device that a user id names, or the user id itself if it is no such one. */
  static String device(String userId) {
    if (!userId.startsWith("{")) {
      Matcher named = NAMED.matcher(userId);
      return named.matches() ? named.group(1) : userId;
    }
    try {
      JsonNode members = JsonMapper.shared().readTree(userId);
      String device = members.path("device_id").stringValue("");
      return device.isEmpty() ? userId : device;
    } catch (JacksonException notJson) {
      return userId;
    }
  }
}
