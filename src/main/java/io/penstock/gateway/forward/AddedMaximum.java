package io.penstock.gateway.forward;

import io.penstock.cost.Dialect;
import io.penstock.cost.RequestContent;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.request.MaximumPlace;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the member that tells an upstream the maximum of output which the key states and the body
 * does not. Servers that speak OpenAI's dialect all know {@code max_tokens} for chat completions,
 * except that OpenAI's reasoning models refuse it and want {@code max_completion_tokens}, which
 * other servers may refuse. So the choice depends on whose server the upstream is.
 */
final class AddedMaximum {
  private static final String OF_OPENAI = "max_completion_tokens";
  private static final List<String> OPENAI_HOSTS =
      List.of("api.openai.com", "openai.azure.com", "cognitiveservices.azure.com");

  private static final Pattern API_VERSION =
      Pattern.compile("(?:^|&)api-version=([0-9]{4}-[0-9]{2})");

  /** The month of Azure's first version that knows {@code max_completion_tokens}. */
  private static final String FIRST_VERSION = "2024-09";

  private AddedMaximum() {}

  /** Returns the place where the maximum is written into the body, or null if none is written. */
  static @Nullable MaximumPlace place(RequestContext requestContext, UpstreamSpec spec) {
    List<MaximumPlace> places = requestContext.spots().places();
    if (requestContext.addedMaximum() == RequestContent.UNSTATED || places.isEmpty()) {
      return null;
    }
    Dialect dialect = requestContext.endpoint().spec().reading().dialect();
    boolean ofOpenAi =
        isOpenAi(dialect, spec.url()) && !isOldVersion(requestContext.parameters().query());
    return place(places, ofOpenAi);
  }

  /** Returns the only place, or the one of OpenAI's member exactly if {@code ofOpenAi}. */
  private static @Nullable MaximumPlace place(List<MaximumPlace> places, boolean ofOpenAi) {
    for (MaximumPlace each : places) {
      if (places.size() == 1 || each.member().equals(OF_OPENAI) == ofOpenAi) {
        return each;
      }
    }
    return null;
  }

  /** Returns whether an upstream is a server of OpenAI or Azure OpenAI. */
  static boolean isOpenAi(Dialect dialect, URI url) {
    String host = url.getHost() == null ? "" : url.getHost().toLowerCase(Locale.ROOT);
    return dialect == Dialect.AZURE
        || OPENAI_HOSTS.stream().anyMatch(each -> host.equals(each) || host.endsWith("." + each));
  }

  /**
   * Returns whether a raw query asks for a version of Azure's API that refuses {@code
   * max_completion_tokens}.
   */
  static boolean isOldVersion(@Nullable String query) {
    Matcher version = API_VERSION.matcher(query == null ? "" : query);
    return version.find() && version.group(1).compareTo(FIRST_VERSION) < 0;
  }
}
