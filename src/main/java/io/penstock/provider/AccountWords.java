package io.penstock.provider;

import io.penstock.pool.ProviderLesson.ErrorCause;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The words with which providers refuse an account, and those with which they refuse a model or the
 * content of a request. The first concern all requests, the others only such requests; providers
 * use the same statuses for both. All texts are in lower case.
 */
final class AccountWords {
  private static final List<String> SPENT =
      List.of(
          "insufficient_quota",
          "insufficient_user_quota",
          "insufficient balance",
          "insufficient_balance",
          "insufficient account balance",
          "insufficient credit",
          "insufficient funds",
          "balance is insufficient",
          "balance insufficient",
          "billing_hard_limit",
          "billing_not_active",
          "billing_error",
          "billing to be enabled",
          "enable billing",
          "credit balance",
          "credit limit",
          "any credits",
          "more credits",
          "out of credit",
          "payment required",
          "please recharge",
          "spend cap",
          "spend limit",
          "spending limit",
          "usage limit",
          "exceeded your current quota",
          "exceeded_current_quota",
          "arrearage",
          "\u4f59\u989d\u4e0d\u8db3", // the balance does not suffice
          "\u989d\u5ea6\u4e0d\u8db3", // the quota does not suffice
          "\u6b20\u8d39"); // in arrears

  private static final Pattern REFUSED =
      Pattern.compile(
          "(?:invalid|incorrect|wrong|unknown|revoked|expired)[ _-](?:x-)?api[ _-]?key|api["
              + " _-]?key(?: is| has| was|:)?[ _](?:not |been"
              + " )*(?:valid|invalid|expired|revoked|disabled|deactivated|suspended|reported|not"
              + " found)|authentication_error|authentication fail"
              + "|\\b(?:account|organi[sz]ation|project|team|workspace|consumer|subscription|org)\\b"
              + ".{0,60}?\\b(?:disabled|suspended|deactivated|restricted|banned|blocked|terminated|frozen|not"
              + " active|inactive)\\b|account_deactivated|organization_restricted|access_terminated|good"
              + " standing|overdue[ -](?:account|payment)",
          Pattern.DOTALL);

  private static final Pattern REGION =
      Pattern.compile(
          "\\b(?:country|region|territory|location)\\b.{0,40}\\bnot (?:supported|available|allowed)"
              + "|\\bnot (?:supported|available|allowed)\\b.{0,40}\\b(?:country|region|territory)"
              + "|unsupported_country",
          Pattern.DOTALL);

  private static final Pattern MODEL =
      Pattern.compile("\\bmodels?\\b|model_not_found|\\bdeployment|\\bfine[ -]tun");

  private static final Pattern CONTENT =
      Pattern.compile(
          "moderat|flagged|content[ _-]?(?:policy|filter|management)|safety|harmful|guardrail"
              + "|usage polic|violat|copyright");

  private static final Pattern NO_MODEL =
      Pattern.compile(
          "model_?not_?found|deployment_?not_?found|model_decommissioned|invalid_model\\b"
              + "|unknown_model|invalid model\\b|no endpoints found for"
              + "|\\bmodels?\\b.{0,200}?\\b(?:not found|(?:does|do)(?: not|n't) exist|not exist"
              + "|not a valid|decommissioned|retired|no longer (?:available|supported))"
              + "|\\bnot_found_error\\b\\s.{0,40}?\\bmodel:",
          Pattern.DOTALL);

  private AccountWords() {}

  /** Returns whether a text speaks of a bill, a spend cap or a plan. */
  static boolean spent(String text) {
    return SPENT.stream().anyMatch(text::contains);
  }

  /** Returns whether a text says that a credential or an account is no good. */
  static boolean refused(String text) {
    return REFUSED.matcher(text).find();
  }

  /**
   * Returns {@link ErrorCause#SPENT} or {@link ErrorCause#ACCOUNT} if an error is about the
   * account, else null. A status alone says so, too, unless the text speaks of a model or of the
   * content.
   *
   * @param text the text without what it quotes, which may come from the request
   * @param ofRequest whether it speaks of the size, the tools or the tier of a request
   */
  static @Nullable ErrorCause ofAccount(int status, String text, boolean ofRequest) {
    boolean states = spent(text);
    return switch (status) {
      case 401 -> states ? ErrorCause.SPENT : ErrorCause.ACCOUNT;
      case 402 -> ErrorCause.SPENT;
      case 403 -> ofRequest ? null : states ? ErrorCause.SPENT : forbidden(text);
      case 400, 412 -> ofRequest ? null : states ? ErrorCause.SPENT : bad(text);
      default -> null;
    };
  }

  private static @Nullable ErrorCause forbidden(String text) {
    boolean ofRequest = MODEL.matcher(text).find() || CONTENT.matcher(text).find();
    return refused(text) || !ofRequest ? ErrorCause.ACCOUNT : null;
  }

  private static @Nullable ErrorCause bad(String text) {
    boolean ofRegion = REGION.matcher(text).find() && !MODEL.matcher(text).find();
    return refused(text) || ofRegion ? ErrorCause.ACCOUNT : null;
  }

  /** Returns whether an error says that a model does not exist, or not for this account. */
  static boolean deniesModel(int status, String text) {
    return switch (status) {
      case 400, 403, 404, 410, 422 -> NO_MODEL.matcher(text).find();
      default -> false;
    };
  }
}
