package io.penstock.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.Node;

/** What a setting's value may be: one object reads it, shows it and writes its schema. */
interface Shape<T> {
  /** Reads {@code node}, or adds faults to the source and returns nothing. */
  Optional<T> read(Node node, Source source, String name);

  /** Returns the value as route files write it, in types that YAML and JSON have; no secrets. */
  Object show(T value);

  /** Returns the JSON Schema of the values. */
  Map<String, Object> schema();

  /** A shape whose values are neither lists nor mappings. */
  interface OfScalar<T> extends Shape<T> {
    /** Returns what is expected, in words that follow "expected". */
    String expected();

    /** Reads a value. */
    Parsed<T> parse(Scalar scalar, Source source);

    @Override
    default Optional<T> read(Node node, Source source, String name) {
      return source
          .scalar(node, name, expected())
          .flatMap(
              scalar ->
                  switch (parse(scalar, source)) {
                    case Parsed.Good<T>(T value) -> Optional.of(value);
                    case Parsed.Bad<T>(String problem) -> {
                      source.fault(node, name + " " + problem);
                      yield Optional.empty();
                    }
                  });
    }

    /** Says that the value is not what is expected. */
    default Parsed<T> bad(Scalar scalar) {
      return new Parsed.Bad<>("is " + scalar.shown() + ", expected " + expected());
    }
  }

  /** Returns the schema of values of {@code schema} that a variable may stand for. */
  static Map<String, Object> orVariable(Map<String, Object> schema) {
    return keywords("anyOf", List.of(schema, keywords("$ref", "#/$defs/variable")));
  }

  /** Returns a schema of names and values in turn, in this order, so that it prints the same. */
  static Map<String, Object> keywords(Object... namesAndValues) {
    Map<String, Object> schema = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      schema.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return schema;
  }
}
