package io.penstock.config;

import static io.penstock.config.KeySettings.BUDGET_TOKENS_PER_DAY;
import static io.penstock.config.KeySettings.MAX_OUTPUT;
import static io.penstock.config.KeySettings.RPD;
import static io.penstock.config.KeySettings.RPM;
import static io.penstock.config.KeySettings.TPM;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ValueShape;
import io.penstock.config.shape.WordShapes;
import io.penstock.cost.ExcessOutput;
import io.penstock.key.GroupSpec;
import java.util.List;
import java.util.Map;

/** The settings of {@code groups[]}: the limits that the keys of a group share. */
final class GroupSettings {
  static final RouteSetting<String> NAME =
      RouteSetting.required(
          "name", new WordShapes.Identifier(), "Its name, which keys state as group.");

  static final RouteSetting<Long> BUDGET_TOKENS_PER_MONTH =
      KeySettings.limit("budget_tokens_per_month", "Tokens, input and output, in a UTC month");

  static final RouteSetting<Boolean> ON_LIMIT =
      RouteSetting.unset(
          "on_limit",
          KeySettings.AT_LIMIT,
          "as for keys",
          "Whether requests of keys that do not say it are refused at limits, or wait for them.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE =
      List.of(
          NAME,
          RPM,
          TPM,
          RPD,
          BUDGET_TOKENS_PER_DAY,
          BUDGET_TOKENS_PER_MONTH,
          ON_LIMIT,
          MAX_OUTPUT,
          SharingSetting.SHARING);

  private GroupSettings() {}

  /** Returns the group described by checked settings. */
  static GroupSpec group(EffectiveValues values) {
    return new GroupSpec(
        values.get(NAME),
        values.get(RPM),
        values.get(TPM),
        values.get(RPD),
        values.get(BUDGET_TOKENS_PER_DAY),
        values.get(BUDGET_TOKENS_PER_MONTH),
        values.find(ON_LIMIT).orElse(null),
        values.find(MAX_OUTPUT).orElse(null));
  }

  /** Returns a group in the form in which route files write it. */
  static Map<String, Object> shown(GroupSpec group) {
    Map<String, Object> shown =
        ValueShape.keywords(
            NAME.name(), group.name(),
            RPM.name(), group.rpm(),
            TPM.name(), group.tpm(),
            RPD.name(), group.rpd(),
            BUDGET_TOKENS_PER_DAY.name(), group.budgetTokensPerDay(),
            BUDGET_TOKENS_PER_MONTH.name(), group.budgetTokensPerMonth());
    Boolean waits = group.waits();
    if (waits != null) {
      shown.put(ON_LIMIT.name(), ON_LIMIT.shape().show(waits));
    }
    ExcessOutput excess = group.excessOutput();
    if (excess != null) {
      shown.put(MAX_OUTPUT.name(), MAX_OUTPUT.shape().show(excess));
    }
    return shown;
  }
}
