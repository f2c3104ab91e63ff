package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.key.KeyTerms;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Converts the terms of a key to and from JSON, in which they are as in route files. */
public final class KeyTermsJson {
  /** Thrown for invalid terms; the message explains the reason to a person, without texts. */
  public static final class Unclear extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public Unclear(String message) {
      super(message, null, false, false);
    }
  }

  private KeyTermsJson() {}

  /**
   * Returns {@code terms} with changes; null stands for the value of a new key.
   *
   * @throws Unclear if a term is unknown or invalid
   */
  public static KeyTerms changed(KeyTerms terms, ObjectNode changes) {
    Map<String, JsonNode> all = new LinkedHashMap<>();
    stated(terms).properties().forEach(each -> all.put(each.getKey(), each.getValue()));
    changes.properties().forEach(each -> all.put(each.getKey(), each.getValue()));
    all.entrySet().removeIf(each -> each.getValue().isNull() && known(each.getKey()));
    JsonTree tree = new JsonTree();
    FileSection section =
        FileSection.read(tree.mapping(all.entrySet()), KeySettings.OF_TERMS, tree.source());
    EffectiveValues values = EffectiveValues.of(KeySettings.OF_TERMS, section);
    return KeyBuilder.terms(values, tree::fault).orElseThrow();
  }

  private static boolean known(String name) {
    return KeySettings.TERMS.stream().anyMatch(term -> term.name().equals(name));
  }

  /** Returns all terms; null stands for none. */
  public static Map<String, @Nullable Object> shown(KeyTerms terms) {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    KeySettings.TERMS.forEach(term -> shown.put(term.name(), term.shown(terms)));
    return shown;
  }

  /** Returns as JSON the terms that differ from those of a new key. */
  public static ObjectNode stated(KeyTerms terms) {
    Map<String, @Nullable Object> stated = new LinkedHashMap<>();
    for (KeyTerm<?> term : KeySettings.TERMS) {
      Object value = term.shown(terms);
      boolean follows =
          term.setting().equals(KeySettings.MAX_PRIORITY)
              && terms.rank().maxPriority() == terms.rank().priority();
      if (!follows && !Objects.equals(value, term.shown(KeyTerms.PLAIN))) {
        stated.put(term.name(), value);
      }
    }
    return JsonMapper.shared().valueToTree(stated);
  }
}
