package io.penstock.config.shape;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.ssl.pem.PemContent;

/**
 * A PEM file; a relative path is resolved against the directory of the route file. The file is read
 * together with the route file, so that an unusable one is a fault there. Its content is never
 * shown.
 *
 * @param key whether it holds a private key rather than certificates
 */
public record PemFile(boolean key) implements ValueShape.OfScalar<Path> {
  private static final int LARGEST_BYTES = 1 << 20;
  private static final String KEY = "-----BEGIN PRIVATE KEY-----";

  @Override
  public String expected() {
    return key
        ? "a PEM file of a private key (PKCS #8, not encrypted)"
        : "a PEM file of certificates (X.509)";
  }

  @Override
  public ParsedValue<Path> parse(ScalarValue scalar, SourceFile source) {
    if (!scalar.textual() || scalar.text().isBlank()) {
      return bad(scalar);
    }
    Path path;
    byte[] bytes;
    try {
      path = Path.of(source.file()).resolveSibling(scalar.text()).toAbsolutePath().normalize();
      bytes = bytes(path);
    } catch (InvalidPathException e) {
      return bad(scalar);
    } catch (IOException e) {
      return wrong(scalar, "cannot be read");
    }
    if (bytes.length > LARGEST_BYTES) {
      return wrong(scalar, "is larger than 1 MiB");
    }
    return usable(new String(bytes, StandardCharsets.ISO_8859_1))
        ? new ParsedValue.Good<>(path)
        : wrong(scalar, "holds none that can be read");
  }

  private static byte[] bytes(Path path) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new IOException("not a regular file"); // opening a pipe might block for ever
    }
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(LARGEST_BYTES + 1);
    }
  }

  private ParsedValue<Path> wrong(ScalarValue scalar, String what) {
    return new ParsedValue.Bad<>(
        "is " + scalar.shown() + ", which " + what + ", expected " + expected());
  }

  /** Returns whether the content can be used; a key of another format is not read everywhere. */
  private boolean usable(String text) {
    PemContent content = PemContent.of(text);
    try {
      return key
          ? text.contains(KEY) && content.getPrivateKey() != null
          : !content.getCertificates().isEmpty();
    } catch (IllegalStateException unreadable) {
      return false;
    }
  }

  @Override
  public Object show(Path value) {
    return value.toString();
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords("type", "string", "minLength", 1);
  }
}
