package io.penstock.config.shape;

import io.penstock.endpoint.WithheldHeaders;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.nodes.Node;

/**
 * The headers that pass although the gateway keeps them back elsewhere: a list of names, without
 * duplicates, in whatever case.
 *
 * @param of the headers that can be listed
 */
public record WithheldHeadersSetting(WithheldHeaders of) implements ValueShape<Set<String>> {
  @Override
  public Optional<Set<String>> read(Node node, SourceFile source, String name) {
    Optional<List<Node>> nodes = source.items(node, name, "a list of headers");
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    Set<String> names = new LinkedHashSet<>();
    boolean good = true;
    for (Node item : nodes.get()) {
      Optional<String> header = new Name(of).read(item, source, "a header of " + name);
      if (header.isPresent() && !names.add(header.get())) {
        source.fault(
            item,
            "header " + ScalarValue.quote(header.get()) + " is there twice, expected it once");
        good = false;
      }
      good &= header.isPresent();
    }
    return good ? Optional.of(Set.copyOf(names)) : Optional.empty();
  }

  @Override
  public Object show(Set<String> value) {
    return new ArrayList<>(new TreeSet<>(value)); // YAML would write a shared list as an alias
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords(
        "type", "array", "items", new Name(of).schema(), "uniqueItems", true);
  }

  /** The name of one header. */
  private record Name(WithheldHeaders of) implements ValueShape.OfText {
    @Override
    public String expected() {
      return WordShapes.oneOf(of.names());
    }

    @Override
    public ParsedValue<String> parse(ScalarValue scalar, SourceFile source) {
      return of.canList(scalar.text())
          ? new ParsedValue.Good<>(scalar.text().toLowerCase(Locale.ROOT))
          : bad(scalar);
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.orVariable(
          ValueShape.keywords(
              "type", "string", "pattern", "^" + HeadersSetting.NAME.pattern() + "$"));
    }
  }
}
