package io.penstock.config.shape;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * The credential of an upstream. If its variable is unset or empty, the upstream is disabled, so
 * that routes for several providers can be shipped and used by somebody with a key for only one of
 * them.
 *
 * @param secret null if none is sent
 * @param passthrough whether the client's own credential is forwarded
 * @param disabledBecause null if the upstream takes requests
 */
public record CredentialSetting(
    @Nullable String secret, boolean passthrough, @Nullable String disabledBecause) {
  /** No credential is sent. */
  public static final CredentialSetting NONE = new CredentialSetting(null, false, null);

  private static final String PASSTHROUGH = "passthrough";

  /** Shown in place of a secret. */
  static final String MASK = "***";

  private static final int LONGEST = 8192;

  @Override
  public String toString() {
    return "Credential[" + (secret == null ? "none" : MASK) + "]";
  }

  /** Reads a credential. */
  public record Key() implements ValueShape<CredentialSetting> {
    @Override
    public Optional<CredentialSetting> read(Node node, SourceFile source, String name) {
      if (YamlNodes.plainScalar(node)
          && source.variables().expand(((ScalarNode) node).getValue(), true)
              instanceof VariableExpansion.Expansion.Unset(String variable)) {
        return Optional.of(disabled(variable, "is not set"));
      }
      return source
          .secret(node, name, "text, mostly ${NAME}")
          .flatMap(scalarValue -> parse(scalarValue, node, source, name));
    }

    private static Optional<CredentialSetting> parse(
        ScalarValue scalarValue, Node node, SourceFile source, String name) {
      // Secrets that were read from files often end with a line break.
      String secret = scalarValue.text().strip();
      if (secret.isEmpty() && scalarValue.fromVariable()) {
        return Optional.of(
            scalarValue.names().isEmpty()
                ? nothing(scalarValue)
                : disabled(scalarValue.names().getLast(), "is empty"));
      }
      String problem = "";
      if (!scalarValue.textual()) {
        problem = " is a number or a truth value, expected text: put it in quotes";
      } else if (secret.isEmpty()) {
        problem = " is empty, expected text, mostly ${NAME}";
      } else if (secret.length() > LONGEST || !secret.chars().allMatch(Key::sendable)) {
        problem = " cannot be sent, expected up to 8192 visible ASCII characters";
      }
      if (!problem.isEmpty()) {
        source.fault(node, name + problem);
        return Optional.empty();
      }
      WrittenCredential.problem(scalarValue.raw())
          .ifPresent(what -> source.findings().warn(source.place(node), name + " " + what));
      return Optional.of(
          secret.equals(PASSTHROUGH)
              ? new CredentialSetting(null, true, null)
              : new CredentialSetting(secret, false, null));
    }

    /** Returns the credential for an empty default, or for a file with nothing in it. */
    private static CredentialSetting nothing(ScalarValue scalarValue) {
      return scalarValue.raw().contains("${file:") ? disabled("its file", "is empty") : NONE;
    }

    private static boolean sendable(int c) {
      return c > ' ' && c < 0x7f;
    }

    private static CredentialSetting disabled(String variable, String why) {
      return new CredentialSetting(null, false, variable + " " + why);
    }

    @Override
    public Object show(CredentialSetting value) {
      return value.passthrough() ? PASSTHROUGH : MASK;
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.keywords("type", "string", "minLength", 1);
    }
  }
}
