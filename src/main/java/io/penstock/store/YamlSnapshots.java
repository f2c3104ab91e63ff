package io.penstock.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.usage.CachedInput;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.UsageLedger;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Saved state in a YAML file. A save writes a temporary file and renames it, so that the file is
 * always complete, whoever reads it and whenever the process ends.
 */
final class YamlSnapshots implements SnapshotStore {
  static final FileAttribute<?>[] FOR_ITS_OWNER_ONLY = ownerOnly();

  private final Path file;
  private final long minuteNanos;

  YamlSnapshots(Path file, long minuteNanos) {
    this.file = file;
    this.minuteNanos = minuteNanos;
  }

  private static FileAttribute<?>[] ownerOnly() {
    boolean posix = Path.of("").getFileSystem().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  @Override
  public Snapshot load() throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(file);
      return new YamlState(file, minuteNanos).read(bytes);
    } catch (NoSuchFileException nothingSaved) {
      return Snapshot.EMPTY;
    } catch (YamlState.Unreadable wrong) {
      throw wrong;
    } catch (IOException e) {
      throw StateFiles.problem(file, e);
    }
  }

  @Override
  public void save(Snapshot snapshot) throws IOException {
    try {
      Path real = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
      Path aside = real.resolveSibling(real.getFileName() + ".tmp");
      try {
        write(aside, StateRows.of(snapshot, minuteNanos));
        Files.move(
            aside, real, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (IOException e) {
        Files.deleteIfExists(aside);
        throw e;
      }
      try (FileChannel directory = FileChannel.open(aside.getParent(), StandardOpenOption.READ)) {
        directory.force(true);
      }
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": there is no such directory", e);
    } catch (IOException e) {
      throw StateFiles.problem(file, e);
    }
  }

  private static void write(Path aside, StateRows rows) throws IOException {
    Files.deleteIfExists(aside);
    Set<StandardOpenOption> options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(aside, options, FOR_ITS_OWNER_ONLY);
        Writer out =
            new BufferedWriter(
                new OutputStreamWriter(Channels.newOutputStream(channel), UTF_8), 1 << 16)) {
      print(rows, out);
      out.flush();
      channel.force(true);
    }
  }

  private static void print(StateRows rows, Writer out) throws IOException {
    out.write("# What was spent and used so far; penstock writes it anew while it runs.\n");
    out.write("version: " + YamlState.VERSION + "\nrows: " + rows.count() + "\nquotas:\n");
    for (var quota : rows.quotas.entrySet()) {
      out.write(
          "  %s: {max_rpm: %d, max_tpm: %d, max_rpd: %d}\n"
              .formatted(
                  quoted(quota.getKey()),
                  quota.getValue().rpm(),
                  quota.getValue().tpm(),
                  quota.getValue().rpd()));
    }
    out.write("state:\n");
    for (var model : rows.models.entrySet()) {
      print(model.getKey(), model.getValue(), out);
    }
    out.write("spend:\n");
    for (StateRows.SpendRow row : rows.spend) {
      out.write(
          "  - {kind: %s, id: %s, measure: %s, cell_start: %d, amount: %d}\n"
              .formatted(
                  row.kind(),
                  quoted(row.id().owner()),
                  quoted(row.id().counts()),
                  row.spent().unixNanos(),
                  row.spent().amount()));
    }
    out.write("usage:\n");
    for (UsageLedger.Row row : rows.usage) {
      out.write(
          "  - {day: \"%s\", key: %s, group: %s, model: %s, requests: %d, input: %d, output: %d%s}\n"
              .formatted(
                  row.day(),
                  quoted(row.key()),
                  quoted(row.group()),
                  quoted(row.model()),
                  row.requests(),
                  row.input(),
                  row.output(),
                  cached(row.cached())));
    }
  }

  private static String cached(CachedInput cached) {
    return cached.isNone()
        ? ""
        : ", cache_read: %d, cache_write: %d, cache_write_1h: %d"
            .formatted(cached.read(), cached.written(), cached.writtenForHour());
  }

  private static void print(String name, StateRows.ModelState model, Writer out)
      throws IOException {
    out.write("  " + quoted(name) + ":\n");
    out.write("    requests: " + model.requests + "\n");
    out.write(
        model.tokens.stream()
            .map(row -> "{time: %d, count: %d}".formatted(row.unixNanos(), row.amount()))
            .collect(Collectors.joining(", ", "    tokens: [", "]\n")));
    if (model.dayCount > 0) {
      out.write("    day_start: " + model.dayStart + "\n");
      out.write("    day_count: " + model.dayCount + "\n");
    }
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            code -> {
              if (code == '"' || code == '\\') {
                quoted.append('\\').appendCodePoint(code);
              } else if (plain(code)) {
                quoted.appendCodePoint(code);
              } else {
                quoted.append("\\U%08x".formatted(code));
              }
            });
    return quoted.append('"').toString();
  }

  private static boolean plain(int code) {
    boolean breaksLine = code == 0x85 || code == 0x2028 || code == 0x2029;
    return code >= ' ' && !breaksLine && code != 0xFEFF && StreamReader.isPrintable(code);
  }

  @Override
  public void close() {}
}
