package io.penstock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script.
 *
 * @param text its source
 * @param sha1 digest under which Redis keeps it
 */
public record LuaScript(String text, String sha1) {
  /** Reads a script that is stored beside this class. */
  public static LuaScript read(String name) {
    try (InputStream in = LuaScript.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("script " + name + " is missing from the program");
      }
      return of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static LuaScript of(String text) {
    try {
      byte[] sha1 =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return new LuaScript(text, HexFormat.of().formatHex(sha1));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
