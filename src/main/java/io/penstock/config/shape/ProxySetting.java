package io.penstock.config.shape;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;

/**
 * The HTTP proxy for connections to an upstream. Faults never show the address: it may hold a
 * password.
 */
public record ProxySetting() implements ValueShape.OfScalar<URI> {
  private static final int LARGEST_PORT = 65_535;

  @Override
  public String expected() {
    return "an address such as http://proxy.local:3128 or http://user:password@proxy.local:3128";
  }

  @Override
  public ParsedValue<URI> parse(ScalarValue scalar, SourceFile source) {
    URI uri;
    try {
      uri = new URI(scalar.text());
    } catch (URISyntaxException e) {
      return wrong("is not an address (" + e.getReason() + ")");
    }
    if (!scalar.textual() || !"http".equalsIgnoreCase(uri.getScheme())) {
      return wrong("is no address of an HTTP proxy");
    }
    if (uri.getHost() == null || uri.getHost().isEmpty()) {
      return wrong("has no host name");
    }
    if (uri.getPort() < 1 || uri.getPort() > LARGEST_PORT) {
      return new ParsedValue.Bad<>("has no port, or a bad one, expected 1 to " + LARGEST_PORT);
    }
    boolean more = uri.getRawPath().length() > 1 || uri.getRawQuery() != null;
    if (more || uri.getRawFragment() != null) {
      return new ParsedValue.Bad<>("goes on after its port, expected no more");
    }
    String user = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo() + "@";
    return new ParsedValue.Good<>(
        URI.create("http://" + user + uri.getHost() + ":" + uri.getPort()));
  }

  private ParsedValue<URI> wrong(String what) {
    return new ParsedValue.Bad<>(what + ", expected " + expected());
  }

  @Override
  public Object show(URI value) {
    String user = value.getRawUserInfo() == null ? "" : CredentialSetting.MASK + "@";
    return "http://" + user + value.getHost() + ":" + value.getPort();
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.orVariable(
        ValueShape.keywords("type", "string", "pattern", "^[hH][tT][tT][pP]://"));
  }
}
