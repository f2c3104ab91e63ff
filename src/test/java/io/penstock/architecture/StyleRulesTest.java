package io.penstock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StyleRulesTest {
  private static final String PATH = "src/main/java/io/penstock/cost/A.java";

  @Test
  void line_of120Columns_passesAndOf121_fails() {
    assertThat(StyleRules.longLines(CheckedSource.of(PATH, "//" + "é".repeat(118)))).isEmpty();
    assertThat(StyleRules.longLines(CheckedSource.of(PATH, "//" + "é".repeat(119))))
        .containsExactly(PATH + ":1 has 121 columns");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// TODO later",
        "// TODO(me) later",
        "/* TODO */",
        "/** FIXME: it */",
        "String a = \"'\"; // TODO",
        "char a = '\"'; // TODO",
        "String a = \"\"\"\n\" // x\n\"\"\"; // TODO",
        "// TODO(#1) and TODO"
      })
  void todo_withoutANumber_fails(String text) {
    assertThat(StyleRules.unnumberedTodos(type(text + "\n"))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// TODO(#12) later",
        "String a = \"// TODO\";",
        "String a = \"\"\"\n// TODO \\\"\"\"\n// TODO\"\"\";",
        "// METHODTODOS"
      })
  void todo_withANumberOrInAString_passes(String text) {
    assertThat(StyleRules.unnumberedTodos(type(text + "\n"))).isEmpty();
  }

  @Test
  void catchBlock_withoutAStatement_fails() {
    String body = "void a() { try { a(); } catch (RuntimeException e) { %s } }";
    assertThat(StyleRules.emptyCatches(type(body.formatted("/* never */")))).hasSize(1);
    assertThat(StyleRules.emptyCatches(type(body.formatted("throw e;")))).isEmpty();
    String lambda = "Runnable a = () -> { try { a.run(); } catch (RuntimeException e) {} };";
    assertThat(StyleRules.emptyCatches(type(lambda))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TextUtil", "TextUtils", "Helper", "QueueImpl"})
  void type_withAVagueName_fails(String name) {
    assertThat(StyleRules.vagueTypes(type("record " + name + "() {}"))).hasSize(1);
    assertThat(StyleRules.vagueTypes(type("record Implied() {}"))).isEmpty();
  }

  private static CheckedSource type(String body) {
    return CheckedSource.of(PATH, "package io.penstock.cost;\nclass A {\n" + body + "}");
  }
}
