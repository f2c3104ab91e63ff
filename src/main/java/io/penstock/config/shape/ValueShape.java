package io.penstock.config.shape;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.Node;

/** The form of a setting's value: reads it, shows it and describes it as a schema. */
public interface ValueShape<T> {
  /** Reads {@code node}, or adds faults to the source and returns nothing. */
  Optional<T> read(Node node, SourceFile sourceFile, String name);

  /**
   * Returns the value in the form in which route files write it, in types of YAML and JSON, without
   * secrets.
   */
  Object show(T value);

  /**
   * Returns the value as {@link #show(Object)} does.
   *
   * @param within the section that has it, on whose settings defaults of inner sections may depend
   */
  default Object show(T value, EffectiveValues within) {
    return show(value);
  }

  /** Returns the JSON Schema of the values. */
  Map<String, Object> schema();

  /** A shape of values that are neither lists nor mappings. */
  interface OfScalar<T> extends ValueShape<T> {
    /** Returns the expected form, in words that follow "expected". */
    String expected();

    /** Reads a value. */
    ParsedValue<T> parse(ScalarValue scalarValue, SourceFile sourceFile);

    @Override
    default Optional<T> read(Node node, SourceFile sourceFile, String name) {
      return sourceFile
          .scalar(node, name, expected())
          .flatMap(
              scalarValue ->
                  switch (parse(scalarValue, sourceFile)) {
                    case ParsedValue.Good<T>(T value) -> Optional.of(value);
                    case ParsedValue.Bad<T>(String problem) -> {
                      sourceFile.fault(node, name + " " + problem);
                      yield Optional.empty();
                    }
                  });
    }

    /** Returns the fault of a value that does not have the expected form. */
    default ParsedValue<T> bad(ScalarValue scalarValue) {
      return new ParsedValue.Bad<>("is " + scalarValue.shown() + ", expected " + expected());
    }
  }

  /** A shape of texts, which are shown as they are. */
  interface OfText extends OfScalar<String> {
    @Override
    default Object show(String value) {
      return value;
    }
  }

  /** Returns a schema of values that match {@code schema} or contain a variable. */
  static Map<String, Object> orVariable(Map<String, Object> schema) {
    return keywords("anyOf", List.of(schema, keywords("$ref", "#/$defs/variable")));
  }

  /**
   * Returns a schema from alternating names and values, in this order, so that it always prints the
   * same.
   */
  static Map<String, Object> keywords(Object... namesAndValues) {
    Map<String, Object> schema = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      schema.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return schema;
  }
}
