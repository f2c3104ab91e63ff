package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.LocatedValue;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.WordShapes;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms;
import io.penstock.sharing.SharingTerms.Owner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The setting {@code sharing}, and its values in all files. Not thread-safe. */
final class SharingSetting {
  private static final String NAME = "sharing";

  /** The setting, common to endpoints, upstreams, models, keys and groups. */
  static final RouteSetting<SharingMode> SHARING =
      RouteSetting.unset(
          NAME,
          WordShapes.Choice.of(List.of(SharingMode.values()), SharingMode::text),
          "penstock.redis.sharing",
          "How its limits are shared between instances, where Redis is configured.");

  private final FaultCollector faultCollector;
  private final Map<Owner, LocatedValue<SharingMode>> statedModes = new HashMap<>();

  SharingSetting(FaultCollector faultCollector) {
    this.faultCollector = faultCollector;
  }

  /** Notes the sharing of an owner of limits; a different value for the same owner is a fault. */
  void note(Kind kind, String id, EffectiveValues effectiveValues) {
    if (!effectiveValues.usable(SHARING)) {
      return;
    }
    effectiveValues.set(SHARING).ifPresent(sharing -> note(new Owner(kind, id), sharing));
  }

  private void note(Owner owner, LocatedValue<SharingMode> sharing) {
    LocatedValue<SharingMode> first = statedModes.putIfAbsent(owner, sharing);
    if (first != null && first.value() != sharing.value()) {
      faultCollector.add(
          sharing.place(),
          "sharing is '%s', but '%s' at %s, expected the same"
              .formatted(sharing.value().text(), first.value().text(), first.place()));
    }
  }

  SharingTerms terms() {
    Map<Owner, SharingMode> terms = new HashMap<>();
    statedModes.forEach((owner, sharing) -> terms.put(owner, sharing.value()));
    return new SharingTerms(terms);
  }

  /** Returns the shown settings with this one appended if it was set. */
  static Map<String, Object> with(
      Map<String, Object> shown, SharingTerms terms, Kind kind, String id) {
    SharingMode sharingMode = terms.modes().get(new Owner(kind, id));
    if (sharingMode != null) {
      shown.put(NAME, SHARING.shape().show(sharingMode));
    }
    return shown;
  }
}
