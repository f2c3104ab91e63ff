package io.penstock.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.penstock.dialect.DialectTable;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The row table as rules over compiled classes. */
final class LayerRules {
  private static final String OURS = LayerTable.ROOT + "..";

  static final ArchRule EVERY_PACKAGE_IS_IN_THE_TABLE =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(
              new ArchCondition<>("live in a package of the row table") {
                @Override
                public void check(JavaClass item, ConditionEvents events) {
                  if (!LayerTable.known(item.getPackageName())) {
                    events.add(
                        SimpleConditionEvent.violated(
                            item, item.getName() + " is in a package that is not in the table"));
                  }
                }
              });

  static final ArchRule IMPORTS_FOLLOW_THE_TABLE =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(dependOnlyAs("import only packages the table allows", LayerRules::followsTable));

  static final ArchRule LOWER_LAYERS_ARE_PLAIN_JAVA =
      classes()
          .that()
          .resideInAPackage(OURS)
          .should(dependOnlyAs("be plain Java on layers 0 and 1", LayerRules::plain));

  static final ArchRule REDISSON_STAYS_IN_REDIS = keptIn("redis", "org.redisson.");

  static final ArchRule BUCKET4J_STAYS_IN_LIMIT = keptIn("limit", "io.github.bucket4j.");

  static final ArchRule OPENTELEMETRY_STAYS_IN_TRACE = keptIn("trace", "io.opentelemetry.");

  static final ArchRule CONNECTION_POOL_STAYS_IN_REGION = keptIn("region", "com.zaxxer.hikari.");

  static final ArchRule FLYWAY_STAYS_IN_REGION = keptIn("region", "org.flywaydb.");

  static final ArchRule EXCHANGES_STAY_IN_GATEWAY =
      keptIn("gateway", "org.springframework.web.server.ServerWebExchange");

  /** Other packages ask the protocol that an endpoint has, whichever provider it belongs to. */
  static final ArchRule NAMES_OF_PROVIDERS_STAY_IN_DIALECT =
      noClasses()
          .that()
          .resideInAPackage(OURS)
          .and()
          .resideOutsideOfPackages(LayerTable.ROOT + ".dialect", LayerTable.ROOT + ".provider..")
          .should()
          .accessFieldWhere(
              DescribedPredicate.describe("it names a provider", LayerRules::namesAProvider));

  private LayerRules() {}

  private static boolean namesAProvider(JavaFieldAccess access) {
    return access.getTargetOwner().isEquivalentTo(DialectTable.class)
        && !Set.of("ALL", "CREDENTIALS", "NONE").contains(access.getName());
  }

  private static boolean followsTable(Dependency dependency) {
    String target = target(dependency).getPackageName();
    return !LayerTable.ours(target)
        || LayerTable.mayImport(dependency.getOriginClass().getPackageName(), target);
  }

  private static boolean plain(Dependency dependency) {
    Optional<LayerTable.Row> row = LayerTable.row(dependency.getOriginClass().getPackageName());
    if (row.isEmpty() || !row.get().pure()) {
      return true;
    }
    JavaClass target = target(dependency);
    String name = target.getName();
    if (name.startsWith("java.util.logging.") || name.startsWith("java.lang.System$Logger")) {
      return false;
    }
    return target.isPrimitive()
        || name.startsWith("java.")
        || name.startsWith("org.jspecify.")
        || LayerTable.ours(target.getPackageName())
        || (row.get().name().equals("limit") && name.startsWith("io.github.bucket4j."));
  }

  private static ArchRule keptIn(String row, String namePrefix) {
    String home = LayerTable.ROOT + "." + row;
    return classes()
        .that()
        .resideInAPackage(OURS)
        .should(
            dependOnlyAs(
                "leave " + namePrefix + " to " + row,
                dependency ->
                    within(dependency.getOriginClass().getPackageName(), home)
                        || !target(dependency).getName().startsWith(namePrefix)));
  }

  private static boolean within(String name, String home) {
    return name.equals(home) || name.startsWith(home + ".");
  }

  private static JavaClass target(Dependency dependency) {
    return dependency.getTargetClass().getBaseComponentType();
  }

  private static ArchCondition<JavaClass> dependOnlyAs(
      String description, Predicate<Dependency> allowed) {
    return new ArchCondition<>(description) {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        for (Dependency dependency : item.getDirectDependenciesFromSelf()) {
          if (!allowed.test(dependency)) {
            events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
          }
        }
      }
    };
  }
}
