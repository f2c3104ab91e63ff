package io.penstock.gateway.weigh;

import io.penstock.cost.Cost;
import io.penstock.cost.ExcessOutput;
import io.penstock.cost.RequestContent;
import io.penstock.gateway.request.RequestContext;
import io.penstock.key.ApiCaller;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The maximum of output by which a request is weighed: the one that it states, unless its key
 * allows less, or the upstreams can never take as much.
 *
 * @param weighed the content with that maximum
 * @param stated the content as the client states it, with a maximum that is lowered: without the
 *     one that is assumed from the key, which an upstream may ignore
 * @param refusal the refusal of a request that states too large a maximum, or null
 */
record OutputMaximum(RequestContent weighed, RequestContent stated, @Nullable Refusal refusal) {

  /**
   * Returns the maximum of a request by its key alone.
   *
   * @param canBeLowered whether its body has a maximum that can be changed
   */
  static OutputMaximum ofKey(
      RequestContext requestContext, RequestContent content, boolean canBeLowered) {
    ApiCaller caller = requestContext.caller();
    long most = caller == null ? 0 : caller.spec().terms().limits().maxOutputTokens();
    if (most == 0 || !content.generates()) {
      return new OutputMaximum(content, content, null);
    }
    long each = most / content.answers();
    if (content.states() && content.statedOutputTokens() <= each) {
      return new OutputMaximum(content, content, null);
    }
    if (each < 1 || (content.states() && !(canBeLowered && lowers(requestContext)))) {
      return new OutputMaximum(content, content, tooLarge(content, most));
    }
    RequestContent weighed = content.stating(each);
    return new OutputMaximum(weighed, content.states() ? weighed : content, null);
  }

  /**
   * Returns the maximum for one answer to write into a body that states none, or {@link
   * RequestContent#UNSTATED}.
   */
  long added() {
    return assumed() ? weighed.statedOutputTokens() : RequestContent.UNSTATED;
  }

  private boolean assumed() {
    return weighed.states() && !stated.states();
  }

  private static Refusal tooLarge(RequestContent content, long most) {
    String problem =
        content.states()
            ? "its stated maximum of output is %d tokens in all"
                .formatted(content.statedOutputTokens() * content.answers())
            : "it asks for %d answers".formatted(content.answers());
    return Refusal.of(
        RefusalReason.COST_EXCEEDS_CAPACITY,
        problem + ", more than the key's max_output_tokens of " + most + "; ask for less");
  }

  /** Returns the refusal of a request with a maximum that a budget of its key never has left. */
  static Refusal aboveBudget(Cost cost, long budget) {
    return Refusal.of(
        RefusalReason.COST_EXCEEDS_CAPACITY,
        "its input is %d tokens and its stated maximum of output %d, more than a budget of %d; ask"
                .formatted(cost.inputTokens(), cost.statedOutputTokens(), budget)
            + " for less");
  }

  /** Returns whether larger maxima than limits allow are lowered, and not refused. */
  private static boolean lowers(RequestContext requestContext) {
    ApiCaller caller = requestContext.caller();
    ExcessOutput own = caller == null ? null : caller.excessOutput();
    ExcessOutput treatment =
        own == null ? requestContext.endpoint().spec().reading().excessOutput() : own;
    return treatment == ExcessOutput.CAP;
  }

  /**
   * Returns the maximum lowered to what at least one upstream can take, if it is only assumed or
   * they are lowered. Else a request that never fits is refused when it is to be admitted.
   *
   * @param costOf the cost of a content
   */
  OutputMaximum fitting(RequestContext requestContext, Function<RequestContent, Cost> costOf) {
    boolean assumed = assumed();
    Cost cost = costOf.apply(weighed);
    if (cost.statedOutputTokens() == 0 || (!assumed && !lowers(requestContext))) {
      return this;
    }
    long most = requestContext.endpoint().mostStatedOutput(weighed.model(), cost);
    long each = most / weighed.answers();
    if (cost.statedOutputTokens() <= most || each < 1) {
      return this;
    }
    RequestContent lowered = weighed.stating(each);
    return new OutputMaximum(lowered, assumed ? stated : lowered, null);
  }
}
