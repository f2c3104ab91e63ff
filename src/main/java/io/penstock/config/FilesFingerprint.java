package io.penstock.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Hash of the names and contents of route files; equal for equal names and bytes. */
public record FilesFingerprint(String sha256) {
  /** Reads and hashes the files; a path that cannot be read has a fingerprint, too. */
  public static FilesFingerprint of(Path directoryOrFile) {
    MessageDigest digest = digest();
    switch (RouteListing.of(directoryOrFile)) {
      case RouteListing.Nothing(String problem) -> add(digest, "nothing", text(problem));
      case RouteListing.Found found -> {
        for (Path file : found.files()) {
          add(digest, String.valueOf(file.getFileName()), content(file));
        }
      }
    }
    return new FilesFingerprint(HexFormat.of().formatHex(digest.digest()));
  }

  private static byte[] content(Path file) {
    try {
      return RouteListing.read(file);
    } catch (IOException e) {
      return text(RouteListing.problem(e));
    }
  }

  /**
   * Adds a name and a content, each with its length, so that different lists of files never produce
   * the same bytes.
   */
  private static void add(MessageDigest digest, String name, byte[] content) {
    byte[] nameBytes = text(name);
    digest.update(ByteBuffer.allocate(8).putInt(nameBytes.length).putInt(content.length).flip());
    digest.update(nameBytes);
    digest.update(content);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing, expected it in every JDK", e);
    }
  }
}
