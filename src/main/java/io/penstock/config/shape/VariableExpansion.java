package io.penstock.config.shape;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces {@code ${NAME}} and {@code ${NAME:default}} by values of the environment, and {@code
 * ${file:PATH}} by the content of a file, where that is allowed.
 */
public record VariableExpansion(Map<String, String> environment) {
  /** Matches a reference, for the schema. */
  public static final String PATTERN = "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[^}]*)?\\}";

  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{(?<name>[A-Za-z_][A-Za-z0-9_]*)(:(?<fallback>[^}]*))?\\}");

  public VariableExpansion {
    environment = Map.copyOf(environment);
  }

  /** The result of an expansion. */
  sealed interface Expansion {
    /**
     * Every reference was replaced.
     *
     * @param names the variables that were used, in order; empty if all values came from defaults
     * @param replaced whether there was any reference
     */
    record Text(String text, List<String> names, boolean replaced) implements Expansion {}

    /** A variable is unset and has no default. */
    record Unset(String name) implements Expansion {}

    /** The text holds an incomplete reference. */
    record Malformed() implements Expansion {}

    /**
     * A file cannot be taken.
     *
     * @param why the reason, without anything of its content
     */
    record NoFile(String path, String why) implements Expansion {}
  }

  private static final String FILE = "file";
  private static final String MISPLACED = "is taken in api_key and headers only";
  private static final int MOST_BYTES = 64 << 10;

  /** Expands {@code raw} where files are not allowed; inserted values are not expanded again. */
  Expansion expand(String raw) {
    return expand(raw, false);
  }

  /**
   * Expands {@code raw}; inserted values are not expanded again.
   *
   * @param files whether the content of files may be inserted
   */
  Expansion expand(String raw, boolean files) {
    StringBuilder text = new StringBuilder();
    List<String> names = new ArrayList<>();
    Matcher reference = REFERENCE.matcher(raw);
    int from = 0;
    int start = raw.indexOf("${");
    while (start >= 0) {
      if (!reference.find(start) || reference.start() != start) {
        return new Expansion.Malformed();
      }
      String name = reference.group("name");
      String fallback = reference.group("fallback");
      String value = environment.get(name);
      if (name.equals(FILE) && fallback != null) {
        Expansion content = files ? content(fallback) : new Expansion.NoFile(fallback, MISPLACED);
        if (!(content instanceof Expansion.Text(String inserted, var none, boolean read))) {
          return content;
        }
        value = inserted;
      } else if (value != null) {
        names.add(name);
      } else if (fallback == null) {
        return new Expansion.Unset(name);
      }
      text.append(raw, from, start).append(value != null ? value : fallback);
      from = reference.end();
      start = raw.indexOf("${", from);
    }
    boolean replaced = from > 0;
    return new Expansion.Text(text.append(raw.substring(from)).toString(), names, replaced);
  }

  /** Returns the content of a file without one last newline, as Kubernetes mounts Secrets. */
  private static Expansion content(String path) {
    try (InputStream file = Files.newInputStream(regular(path))) {
      byte[] bytes = file.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        return new Expansion.NoFile(path, "is larger than 64 KiB");
      }
      String content = new String(bytes, StandardCharsets.UTF_8);
      return new Expansion.Text(content.replaceFirst("\\r?\\n\\z", ""), List.of(), true);
    } catch (NoSuchFileException none) {
      return new Expansion.NoFile(path, "is not there");
    } catch (AccessDeniedException denied) {
      return new Expansion.NoFile(path, "may not be read by this process");
    } catch (IOException | InvalidPathException unreadable) {
      return new Expansion.NoFile(path, "cannot be read");
    }
  }

  /** Returns a path; fails if there is something whose reading may never end, such as a pipe. */
  private static Path regular(String path) throws IOException {
    Path file = Path.of(path);
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException("no regular file");
    }
    return file;
  }
}
