package io.penstock.load;

import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The gateway that all of this is about, from its jar. */
final class Penstock {
  static final String NAME = "Penstock";

  private Penstock() {}

  /** Returns the command that serves a route file, or a directory of them. */
  static List<String> command(Path jar, Path routes, int port, int operator, List<String> flags)
      throws IOException {
    if (!Files.isRegularFile(jar)) {
      throw new IOException(jar.normalize() + " is not there: build it with mvn package");
    }
    List<String> command = Machine.java(flags.toArray(String[]::new));
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(serve(routes, port, operator));
    return command;
  }

  /** Returns its arguments. */
  static List<String> serve(Path routes, int port, int operator) {
    return List.of(
        "serve",
        "--routes",
        routes.toString(),
        "--host",
        "127.0.0.1",
        "--port",
        String.valueOf(port),
        "--operator-port",
        String.valueOf(operator));
  }

  /**
   * Returns routes with all on that costs time: a key, its tokens per minute, those of the
   * upstream, a cost read from the body, and usage that settles it; and no limit so low that it
   * binds.
   */
  static String unlimited(int upstream) {
    return """
    keys:
      - name: load
        sha256: %s
        tpm: 90000000000
    endpoints:
      - path: /load
        dialect: openai
        upstreams:
          - {id: load, url: "http://127.0.0.1:%d", tpm_limit: 90000000000, settle: usage}
    """
        .formatted(sha256(Load.SECRET), upstream);
  }

  /** Returns whether an answer tells what it cost and what is left of a limit. */
  static boolean weighs(HttpHeaders headers) {
    boolean cost =
        headers.firstValueAsLong("x-penstock-cost").orElse(0) > Upstream.COMPLETION_TOKENS;
    return cost && headers.firstValue("RateLimit").isPresent();
  }

  /** Returns the hash by which a key is known. */
  static String sha256(String secret) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
