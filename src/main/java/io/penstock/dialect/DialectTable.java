package io.penstock.dialect;

import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.anthropic.AnthropicProtocol;
import io.penstock.provider.azure.AzureProtocol;
import io.penstock.provider.gemini.GeminiProtocol;
import io.penstock.provider.mistral.MistralProtocol;
import io.penstock.provider.openai.OpenAiProtocol;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** The table of dialects. Each is the protocol of one provider, in a package of its own. */
public final class DialectTable {
  /** OpenAI: chat and text completions, responses, embeddings, images. */
  public static final ProviderProtocol OPENAI = new OpenAiProtocol();

  /** OpenAI's calls as Azure serves them: a deployment in the path names the model. */
  public static final ProviderProtocol AZURE = new AzureProtocol();

  /** Anthropic's messages. */
  public static final ProviderProtocol ANTHROPIC = new AnthropicProtocol();

  /** Gemini: the path names model and call. */
  public static final ProviderProtocol GEMINI = new GeminiProtocol();

  /** Mistral: chat, agents, fill-in-the-middle completions, embeddings. */
  public static final ProviderProtocol MISTRAL = new MistralProtocol();

  /** Nothing is read: the cost is what the parameters of the request state. */
  public static final ProviderProtocol NONE = new PlainProtocol();

  /** All dialects, in the order in which pages and messages name them. */
  public static final List<ProviderProtocol> ALL =
      List.of(OPENAI, AZURE, ANTHROPIC, GEMINI, MISTRAL, NONE);

  /** Names of the headers in which clients of any of them send credentials, in lower case. */
  public static final Set<String> CREDENTIALS =
      ALL.stream()
          .flatMap(each -> each.credentials("").keySet().stream())
          .map(name -> name.toLowerCase(Locale.ROOT))
          .collect(Collectors.toUnmodifiableSet());

  private DialectTable() {}

  /** Returns the names of the dialects that have a property. */
  public static List<String> names(Predicate<ProviderProtocol> property) {
    return ALL.stream().filter(property).map(ProviderProtocol::text).toList();
  }

  /**
   * Returns the protocol that reads a call to servers of {@code own}: that one, or that of another
   * provider whose calls they answer too, such as OpenAI's below {@code /v1beta/openai}. Null if
   * the call is not read; method and path as in {@link ProviderProtocol#weighs}.
   */
  public static @Nullable ProviderProtocol reader(
      ProviderProtocol own, String method, String path) {
    if (own.weighs(method, path) || !own.readsBodies()) {
      return own.readsBodies() ? own : null;
    }
    for (ProviderProtocol each : ALL) {
      if (each.owns(path) && each.weighs(method, path)) {
        return each;
      }
    }
    return null;
  }

  /**
   * Returns the dialect of the client that most likely sent a request to a path that no endpoint
   * has.
   *
   * @param path raw, in lower case
   */
  public static ProviderProtocol spokenBy(String path, HttpHeaders headers) {
    // those with marks of their own come last in the table
    for (ProviderProtocol each : ALL.reversed()) {
      if (each.isSpokenBy(path, headers)) {
        return each;
      }
    }
    return NONE;
  }
}
