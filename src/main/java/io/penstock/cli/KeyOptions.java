package io.penstock.cli;

import io.penstock.config.KeySettings;
import io.penstock.config.KeyTerm;
import io.penstock.config.KeyTermsJson.Unclear;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.databind.JsonNode;

/**
 * Options for the terms of a key. A term that no option names is not sent: a new key gets its
 * default, and a known key keeps what it has.
 *
 * @param command the command that has the options
 */
record KeyOptions(CommandSpec command) {
  private static final String MODELS = "models";
  private static final List<String> OF_MODELS = List.of("rpm", "tpm");

  /** Adds the options to a command. */
  static void add(CommandSpec command) {
    for (KeyTerm<?> term : KeySettings.TERMS) {
      if (OF_MODELS.contains(term.name())) {
        command.addOption(
            OptionSpec.builder(ofModels(term.name()))
                .paramLabel("MODEL=" + label(term))
                .type(Map.class)
                .auxiliaryTypes(String.class, String.class)
                .description("The same as --" + term.option() + " for a model; may be repeated.")
                .build());
      }
      if (!term.option().isEmpty()) {
        command.addOption(option(term));
      }
    }
  }

  private static OptionSpec option(KeyTerm<?> term) {
    OptionSpec.Builder option =
        OptionSpec.builder("--" + term.option())
            .paramLabel(label(term))
            .description(term.meaning());
    if (term.isList()) {
      return option
          .type(List.class)
          .auxiliaryTypes(String.class)
          .splitRegex(",")
          .splitRegexSynopsisLabel(",")
          .build();
    }
    return term.isFlag()
        ? option.type(String.class).arity("0..1").fallbackValue("true").build()
        : option.type(String.class).build();
  }

  private static String label(KeyTerm<?> term) {
    return term.none() == null ? term.values() : term.values() + "|" + term.none();
  }

  private static String ofModels(String name) {
    return "--model-" + name;
  }

  private @Nullable Object given(String option) {
    return command.findOption(option).getValue();
  }

  /** Returns whether limits for models were given, which are merged with those of the key. */
  boolean limitsModels() {
    return OF_MODELS.stream().anyMatch(name -> given(ofModels(name)) != null);
  }

  /**
   * Returns the given terms under the gateway's names; null stands for the value of a new key.
   *
   * @param known the limits for models that the key has
   */
  Map<String, @Nullable Object> terms(JsonNode known) throws OperatorClient.Failed {
    Map<String, @Nullable Object> terms = new LinkedHashMap<>();
    try {
      for (KeyTerm<?> term : KeySettings.TERMS) {
        String option = "--" + term.option();
        Object given = term.option().isEmpty() ? null : given(option);
        if (given instanceof List<?> list) {
          terms.put(term.name(), term.read(option, list.stream().map(String::valueOf).toList()));
        } else if (given != null) {
          terms.put(term.name(), term.read(option, List.of(given.toString())));
        } else if (term.name().equals(MODELS) && limitsModels()) {
          terms.put(MODELS, modelLimits(known));
        }
      }
    } catch (Unclear unclear) {
      throw new OperatorClient.Failed(
          OperatorClient.Kind.WRONG_REQUEST, String.valueOf(unclear.getMessage()));
    }
    return terms;
  }

  private Map<String, Map<String, Long>> modelLimits(JsonNode known) {
    Map<String, Map<String, Long>> limits = new LinkedHashMap<>();
    for (KeyTerm<?> term : KeySettings.TERMS) {
      String name = term.name();
      if (OF_MODELS.contains(name)) {
        known
            .properties()
            .forEach(
                each -> set(limits, each.getKey(), name, each.getValue().path(name).asLong(0)));
        if (given(ofModels(name)) instanceof Map<?, ?> given) {
          given.forEach(
              (model, text) -> set(limits, model.toString(), name, limit(term, text.toString())));
        }
      }
    }
    limits.values().removeIf(each -> each.values().stream().allMatch(limit -> limit == 0));
    return limits;
  }

  private static long limit(KeyTerm<?> term, String text) {
    return term.read(ofModels(term.name()), List.of(text)) instanceof Long limit ? limit : 0;
  }

  private static void set(
      Map<String, Map<String, Long>> limits, String model, String name, long limit) {
    limits.computeIfAbsent(model, absent -> new LinkedHashMap<>()).put(name, limit);
  }
}
