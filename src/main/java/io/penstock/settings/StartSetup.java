package io.penstock.settings;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.config.FilesFingerprint;
import io.penstock.config.RouteFiles;
import io.penstock.redis.SharingSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that the gateway starts with.
 *
 * @param loaded the fingerprint of the route files, taken before {@code snapshot} was read
 * @param window of limits per minute
 * @param sync how limits are shared; null when this is the only instance
 */
public record StartSetup(
    RouteFiles files,
    Path routes,
    FilesFingerprint loaded,
    ConfigurationSnapshot snapshot,
    Duration window,
    @Nullable SharingSettings sync) {
  /** Returns the same setup with other terms of sharing. */
  public StartSetup shared(@Nullable SharingSettings settings) {
    return new StartSetup(files, routes, loaded, snapshot, window, settings);
  }
}
