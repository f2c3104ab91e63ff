package io.penstock.config;

import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.LocatedValue;
import io.penstock.config.shape.PemFile;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionSchema;
import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.ValueShape;
import io.penstock.pool.UpstreamSpec.Tls;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;

/** TLS certificates for an upstream: those to trust, and the client certificate to present. */
record CertificatesSetting() implements ValueShape<Tls> {
  static final RouteSetting<Path> CA =
      RouteSetting.unset(
          "ca",
          new PemFile(false),
          "what the platform trusts",
          "PEM file of the certificates that are trusted, beside the route file.");

  static final RouteSetting<Path> CERT =
      RouteSetting.unset(
          "cert", new PemFile(false), "none is shown", "PEM file of the certificate shown to it.");

  static final RouteSetting<Path> KEY =
      RouteSetting.unset(
          "key", new PemFile(true), "none", "PEM file of the key of cert (PKCS #8).");

  /** The settings, in the order they are shown. */
  static final List<RouteSetting<?>> TABLE = List.of(CA, CERT, KEY);

  @Override
  public Optional<Tls> read(Node node, SourceFile source, String name) {
    Optional<FileSection> read =
        source
            .mapping(node, name, "a mapping of settings")
            .map(mapping -> FileSection.read(mapping, TABLE, source));
    if (read.isEmpty() || read.get().broken()) {
      return Optional.empty();
    }
    Path ca = file(read.get(), CA);
    Path cert = file(read.get(), CERT);
    Path key = file(read.get(), KEY);
    if ((cert == null) != (key == null)) {
      source.fault(
          node,
          cert == null
              ? name + " has a key and no cert, expected both or none"
              : name + " has a cert and no key, expected both or none");
      return Optional.empty();
    }
    if (ca == null && cert == null) {
      sayEmpty(node, source, name);
      return Optional.empty();
    }
    return Optional.of(new Tls(ca, cert, key));
  }

  /**
   * Adds a fault for an empty section. Unknown keys already have faults of their own, except in a
   * configuration of rls.
   */
  private static void sayEmpty(Node node, SourceFile source, String name) {
    boolean keys = node instanceof MappingNode mapping && !mapping.getValue().isEmpty();
    if (source.rls() || !keys) {
      source.fault(node, name + " is empty, expected ca, or cert and key");
    }
  }

  private static @Nullable Path file(FileSection fileSection, RouteSetting<Path> setting) {
    LocatedValue<Path> value = fileSection.get(setting);
    return value == null ? null : value.value();
  }

  @Override
  public Object show(Tls value) {
    Map<String, Object> shown = new LinkedHashMap<>();
    show(shown, CA, value.ca());
    show(shown, CERT, value.cert());
    show(shown, KEY, value.key());
    return Collections.unmodifiableMap(shown);
  }

  private static void show(
      Map<String, Object> shown, RouteSetting<Path> setting, @Nullable Path file) {
    if (file != null) {
      shown.put(setting.name(), setting.shape().show(file));
    }
  }

  @Override
  public Map<String, Object> schema() {
    return SectionSchema.of(TABLE);
  }
}
