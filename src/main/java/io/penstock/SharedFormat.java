package io.penstock;

import io.penstock.redis.RedisDiagnosis;
import io.penstock.redis.RedisFormat;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisPlace;
import io.penstock.redis.SharingSettings;
import io.penstock.region.RegionSchema;
import io.penstock.region.RegionSettings;
import io.penstock.settings.CannotStart;
import io.penstock.settings.PenstockSettings;
import io.penstock.settings.RedisSettings;
import io.penstock.store.StoredFormat;
import io.penstock.time.Ticker;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Refuses a start where instances share something in a format that this version cannot read. */
final class SharedFormat {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.redis");

  private SharedFormat() {}

  /**
   * Asks each Redis that this instance is going to use.
   *
   * @throws CannotStart when one holds another format
   */
  static void check(
      PenstockSettings settings, Environment environment, @Nullable SharingSettings sync) {
    Set<RedisPlace> places = new LinkedHashSet<>();
    if (sync != null) {
      places.add(new RedisPlace(sync.address(), sync.trust(), sync.namespace()));
    }
    RedisPlace coordination =
        settings.coordination().enabled()
            ? RedisSettings.coordination(settings, environment)
            : null;
    if (coordination != null) {
      places.add(coordination);
    }
    places.forEach(SharedFormat::check);
  }

  /**
   * Asks the database through which regions share limits.
   *
   * @throws CannotStart when its tables have another format
   */
  static void check(@Nullable RegionSettings region) {
    if (region == null) {
      return;
    }
    String format = RegionSchema.format(region).orElse(RegionSchema.VERSION);
    if (!format.equals(RegionSchema.VERSION)) {
      throw new CannotStart(
          StoredFormat.refusal(
              "what regions share in " + region.address(),
              format,
              RegionSchema.VERSION,
              "another database"));
    }
  }

  private static void check(RedisPlace place) {
    String format;
    try (RedisLink link =
        new RedisLink(place.address(), place.trust(), StoredKeys.FIRST_MILLIS, Ticker.system())) {
      format = RedisFormat.of(place.namespace(), link).toCompletableFuture().join();
    } catch (CompletionException unknown) {
      LOG.warn(
          "the format of what instances share in namespace {} of Redis cannot be seen yet: {}",
          place.namespace(),
          String.valueOf(RedisDiagnosis.of(unknown).getMessage()));
      return;
    }
    if (!format.equals(RedisFormat.VERSION)) {
      throw new CannotStart(
          StoredFormat.refusal(
              "what instances share in namespace " + place.namespace() + " of Redis",
              format,
              RedisFormat.VERSION,
              "another namespace"));
    }
  }
}
