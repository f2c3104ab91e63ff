package io.penstock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import io.penstock.tenant.SharedState;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules about state that outlives a request, and the table of it on the page about security. */
final class SharedStateRules {
  private static final String HEADING = "## State that tenants share\n";
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (?!state \\|)(.*) \\|$");
  private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");

  /** Types that are made to be changed. */
  private static final Pattern CHANGING =
      Pattern.compile(
          "\\[*L?(?:java\\.util\\.concurrent\\.(?:atomic\\.\\w+|Semaphore)"
              + "|io\\.penstock\\.cost\\.RecentEntries);?");

  private static final Pattern COLLECTION =
      Pattern.compile("java\\.util\\.\\S*(?:Map|Set|List|Queue|Deque|Collection)");

  /** Packages and types, with what is inside them, that hold no such state; and why they do not. */
  private static final Map<String, List<String>> EXEMPT =
      Map.of(
          "it belongs to one request, or to one connection of a client",
          List.of(
              "dispatch.TicketCharges",
              "explain.PastTicket",
              "explain.QueueSnapshot",
              "explain.WaitExplainer",
              "gateway.body.HeldBody",
              "gateway.body.WatchedUpload",
              "gateway.coordination",
              "gateway.forward.AttemptLoop",
              "gateway.forward.CallSession",
              "gateway.forward.MessageCall",
              "gateway.forward.RefusedAdditions",
              "gateway.request.TappedParts",
              "gateway.request.TappedResponse",
              "json",
              "prefix.MarkedSection",
              "provider",
              "wire.AnswerBeginning",
              "wire.FlushedParts",
              "wire.OutgoingBuffers"),
          "it lives for one step of an owner, or for one estimate",
          List.of(
              "dispatch.DryRun",
              "dispatch.EarliestGo",
              "dispatch.UndecidedTickets",
              "dispatch.VirtualRun",
              "dispatch.WaitingGroups",
              "queue.FairTurns",
              "queue.MergedTreaps",
              "queue.TreapWalk"),
          "it holds what is configured, or the work of the program itself",
          List.of(
              "UpstreamAddresses",
              "cli",
              "config",
              "dispatch.DispatchInbox",
              "endpoint.EndpointServices",
              "event.EventBus",
              "mock",
              "model.ModelNames",
              "operator.ReloadHandler",
              "park",
              "pool.UpstreamRegistry",
              "settings",
              "store",
              "time",
              "tokenizer.TextTokenizers",
              "usage.MemorySnapshotStore",
              "wire.RequestIds"),
          "it is shown to operators, and decides nothing",
          List.of(
              "ShadowLog",
              "endpoint.EndpointTotals",
              "endpoint.IgnoredParameters",
              "gateway.body.BodyBudget",
              "gateway.forward.UpstreamProber",
              "metrics.EndpointMeters",
              "metrics.GatewayMeters",
              "metrics.InputMeters",
              "metrics.ModelMeters",
              "metrics.UpstreamMeters",
              "operator.EventReader",
              "operator.LiveChanges",
              "operator.LiveRows",
              "operator.LogLevels",
              "operator.RecentWaits",
              "operator.SharingPeers",
              "trace",
              "wire.ClientConnections"),
          "it passes on, between instances and regions, what limits count",
          List.of("redis", "region", "shares", "sharing.WriterCounts"),
          "it is a part of state whose field has a row",
          List.of(
              "cost.RecentEntries",
              "gateway.body.BodyPool$Tenant",
              "gateway.request.RecentRequests$Client",
              "model.DecisionWaits$Crowd",
              "usage.UsageLedger$Day",
              "usage.UsageLedger$Tally"));

  /** Each field that holds state has the name of a row, unless its type is exempt. */
  static final ArchRule STATE_HAS_A_ROW =
      fields()
          .that(describe("hold state", SharedStateRules::holdsState))
          .and(describe("are not exempt", field -> exemption(field).isEmpty()))
          .should()
          .beAnnotatedWith(SharedState.class);

  private SharedStateRules() {}

  /**
   * Returns whether a field holds an atomic, or learned values, or a collection that its type made
   * itself. Others hold what a caller made.
   */
  private static boolean holdsState(JavaField field) {
    String type = field.getRawType().getName();
    return CHANGING.matcher(type).matches()
        || (COLLECTION.matcher(type).matches()
            && !field.getModifiers().contains(JavaModifier.STATIC)
            && makesCollections(field.getOwner()));
  }

  private static boolean makesCollections(JavaClass owner) {
    return !owner.isRecord()
        && owner.getCodeUnitAccessesFromSelf().stream()
            .filter(each -> each.getOrigin().getName().equals("<init>"))
            .anyMatch(SharedStateRules::makesACollection);
  }

  private static boolean makesACollection(JavaCodeUnitAccess<?> access) {
    return access.getName().equals("<init>")
        ? COLLECTION.matcher(access.getTargetOwner().getName()).matches()
        : access.getName().equals("newKeySet") || access.getName().equals("newSetFromMap");
  }

  /** Returns the package or type in the list of exemptions that a field is in, if any. */
  private static Set<String> exemption(JavaField field) {
    return exempt()
        .filter(each -> within(field.getOwner().getName(), LayerTable.ROOT + "." + each))
        .collect(Collectors.toSet());
  }

  private static Stream<String> exempt() {
    return EXEMPT.values().stream().flatMap(List::stream);
  }

  private static boolean within(String type, String exempt) {
    return type.equals(exempt) || type.startsWith(exempt + ".") || type.startsWith(exempt + "$");
  }

  /** Returns the exemptions that nothing needs. */
  static Set<String> unneeded(JavaClasses program) {
    Set<String> unneeded = exempt().collect(Collectors.toCollection(TreeSet::new));
    fieldsOf(program)
        .filter(SharedStateRules::holdsState)
        .forEach(field -> unneeded.removeAll(exemption(field)));
    return unneeded;
  }

  /** Returns the names of rows that fields have. */
  static Set<String> states(JavaClasses program) {
    return fieldsOf(program)
        .filter(field -> field.isAnnotatedWith(SharedState.class))
        .map(field -> field.getAnnotationOfType(SharedState.class).value())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<JavaField> fieldsOf(JavaClasses program) {
    return program.stream().flatMap(type -> type.getFields().stream());
  }

  /** Returns the tests that each row of the table on a page names, by the name of its state. */
  static Map<String, Set<String>> rows(String page) {
    int begin = page.indexOf(HEADING);
    if (begin < 0) {
      throw new IllegalArgumentException("expected " + HEADING);
    }
    String table = page.substring(begin + HEADING.length()).split("\n## ", 2)[0];
    Map<String, Set<String>> rows = new TreeMap<>();
    for (MatchResult row : ROW.matcher(table).results().toList()) {
      String[] cells = row.group(1).split(" \\| ", -1);
      rows.put(cells[0], tests(cells[cells.length - 1]));
    }
    return rows;
  }

  private static Set<String> tests(String cell) {
    return TEST_CLASS
        .matcher(cell)
        .results()
        .map((MatchResult each) -> each.group(1))
        .collect(Collectors.toSet());
  }
}
