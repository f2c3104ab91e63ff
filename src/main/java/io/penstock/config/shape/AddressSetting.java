package io.penstock.config.shape;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The URL of an upstream. Scheme and host are converted to lower case, and a trailing slash is
 * removed. Faults never show the address: it may hold a credential, which is one of the faults.
 */
public record AddressSetting() implements ValueShape.OfScalar<URI> {
  private static final Set<String> MOCKS = Set.of("openai", "anthropic", "gemini");
  private static final int LARGEST_PORT = 65_535;

  @Override
  public String expected() {
    return "an address such as https://api.openai.com or mock://openai";
  }

  @Override
  public ParsedValue<URI> parse(ScalarValue scalar, SourceFile source) {
    if (!scalar.textual()) {
      return bad(scalar);
    }
    URI uri;
    try {
      uri = new URI(scalar.text());
    } catch (URISyntaxException e) {
      return wrong("is not an address (" + e.getReason() + ")");
    }
    if (uri.getScheme() == null || uri.isOpaque()) {
      return wrong("is not a whole address");
    }
    if (uri.getRawUserInfo() != null || userInfo(uri)) {
      return new ParsedValue.Bad<>(
          "has a user name or a password, expected credentials in api_key");
    }
    if (uri.getRawFragment() != null) {
      return new ParsedValue.Bad<>("has a fragment, expected none");
    }
    return switch (uri.getScheme().toLowerCase(Locale.ROOT)) {
      case "http", "https" -> web(uri);
      case "mock" -> mock(uri, source);
      default -> new ParsedValue.Bad<>("has an unknown scheme, expected http, https or mock");
    };
  }

  /**
   * Returns whether an authority that is not parsed as host and port contains user information.
   * {@link URI} does not report it then.
   */
  private static boolean userInfo(URI uri) {
    return uri.getHost() == null
        && uri.getRawAuthority() != null
        && uri.getRawAuthority().contains("@");
  }

  private ParsedValue<URI> web(URI uri) {
    if (uri.getHost() == null || uri.getHost().isEmpty()) {
      return new ParsedValue.Bad<>(
          "has no host name, expected one of letters, digits, dots and hyphens, or an IP address");
    }
    if (uri.getPort() == 0 || uri.getPort() > LARGEST_PORT) {
      return new ParsedValue.Bad<>("has a bad port, expected 1 to " + LARGEST_PORT);
    }
    if (uri.getRawQuery() != null) {
      return new ParsedValue.Bad<>("has a query, expected none: the request brings its own");
    }
    String path = uri.getRawPath();
    if (!path.isEmpty()) {
      switch (EndpointPath.normalise(path)) {
        case ParsedValue.Good<String>(String normal) -> path = normal.equals("/") ? "" : normal;
        case ParsedValue.Bad<String>(String problem) -> {
          return new ParsedValue.Bad<>("has a path " + problem);
        }
      }
    }
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String text = uri.getScheme() + "://" + uri.getHost();
    return new ParsedValue.Good<>(URI.create(text.toLowerCase(Locale.ROOT) + port + path));
  }

  private ParsedValue<URI> mock(URI uri, SourceFile source) {
    if (uri.getHost() == null || !MOCKS.contains(uri.getHost())) {
      return new ParsedValue.Bad<>("has an unknown mock, expected openai, anthropic or gemini");
    }
    try {
      source.addressCheck().accept(uri);
    } catch (IllegalArgumentException e) {
      return new ParsedValue.Bad<>("is no usable mock address: " + e.getMessage());
    }
    return new ParsedValue.Good<>(uri);
  }

  private ParsedValue<URI> wrong(String what) {
    return new ParsedValue.Bad<>(what + ", expected " + expected());
  }

  @Override
  public Object show(URI value) {
    return value.toString();
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.orVariable(
        ValueShape.keywords("type", "string", "pattern", "^(https?|mock)://"));
  }
}
