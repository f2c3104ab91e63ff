package io.penstock.gateway.coordination;

import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.Transcript;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the coordination API with records: every route, its answers and its refusals. */
@Tag(GoldenRecords.TAG)
class CoordinationGoldenIT {
  private static final String ID = "x-request-id: mine-7";

  @TempDir private static Path directory;
  private static GoldenGateway gateway;

  @BeforeAll
  static void start() {
    gateway =
        new GoldenGateway(
            directory,
            "endpoints: [{path: /a}]",
            "--penstock.coordination.enabled=true",
            "--penstock.coordination.max-objects=12",
            "--penstock.coordination.tenant-share=1");
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static void ask(Transcript to, String... requests) {
    for (String request : requests) {
      to.ask(gateway.port(), request, ID);
    }
  }

  private static void get(Transcript to, String... paths) {
    for (String path : paths) {
      ask(to, "GET " + path);
    }
  }

  private void check(String record, Transcript all) {
    String text = all.text().replaceAll("(\"(?:total|average)_wait_time\":)[0-9.E-]+", "$1<time>");
    GoldenRecords.check("coordination/" + record + ".http", text);
  }

  @Test
  void buckets() {
    Transcript all = gateway.transcript();
    String bucket = "/v1/tokenbucket/mail/";
    get(
        all,
        bucket + "acquire?size=1&interval=600000",
        bucket + "acquire?size=1&interval=600000&maxwait=0");
    get(all, bucket + "acquire?size=1&interval=600000&maxwait=1&id=free+text", bucket + "stats");
    ask(all, "POST " + bucket + "acquire?size=2&interval=600000", "DELETE /v1/tokenbucket/mail");
    get(all, bucket + "stats", bucket + "acquire?interval=0", bucket + "acquire?size=-1");
    get(all, bucket + "acquire?size=x", bucket + "acquire?maxwait=y", bucket + "acquire?rate=1");
    get(all, bucket + "acquire?size=1&size=2", "/tokenbucket/short/acquire?interval=600000");
    ask(all, "DELETE /tokenbucket/short", "DELETE /tokenbucket/short");
    check("tokenbucket", all);
  }

  @Test
  void semaphores() {
    Transcript all = gateway.transcript();
    String semaphore = "/v1/semaphore/printer/";
    get(all, semaphore + "acquire?key=k&expires=600000", semaphore + "acquire?key=k");
    get(all, semaphore + "acquire?maxwait=0", semaphore + "acquire?key=&maxwait=0");
    get(all, semaphore + "stats", semaphore + "release?key=k", semaphore + "release?key=k");
    get(
        all,
        semaphore + "release",
        semaphore + "acquire?expires=0",
        semaphore + "acquire?size=0&maxwait=0");
    ask(all, "DELETE /v1/semaphore/printer");
    check("semaphore", all);
  }

  @Test
  void events() {
    Transcript all = gateway.transcript();
    String event = "/v1/event/deployed/";
    get(all, event + "wait?maxwait=0", event + "send?message=3.1", event + "send", event + "wait");
    get(all, event + "stats");
    ask(all, "DELETE /v1/event/deployed");
    get(all, event + "send", event + "wait");
    ask(all, "DELETE /v1/event/deployed");
    check("event", all);
  }

  @Test
  void watchdogs() {
    Transcript all = gateway.transcript();
    String watchdog = "/v1/watchdog/backup/";
    get(all, watchdog + "kick?expires=600000", watchdog + "wait?maxwait=0", watchdog + "stats");
    get(all, watchdog + "kick?expires=0", watchdog + "wait?maxwait=10000");
    ask(all, "DELETE /v1/watchdog/backup");
    check("watchdog", all);
  }

  @Test
  void counters() {
    Transcript all = gateway.transcript();
    String counter = "/v1/counter/orders/";
    get(all, counter + "value", counter + "count", counter + "count?amount=-5", counter + "value");
    get(all, counter + "reset?value=9", counter + "count?amount=9223372036854775807");
    get(all, counter + "count?amount=9223372036854775808", counter + "stats");
    ask(all, "DELETE /v1/counter/orders");
    check("counter", all);
  }

  @Test
  void barriers() {
    Transcript all = gateway.transcript();
    String barrier = "/v1/barrier/start/";
    get(all, barrier + "wait?maxwait=0", barrier + "wait?size=1", barrier + "wait?size=1");
    get(all, barrier + "stats");
    ask(all, "DELETE /v1/barrier/start");
    check("barrier", all);
  }

  @Test
  void pathsAndMethods() {
    Transcript all = gateway.transcript();
    get(all, "/.well-known/ready", "/v1/tokenbucket", "/v1/tokenbucket/a", "/v1/tokenbucket/a/b");
    get(
        all,
        "/v1/tokenbucket/a/acquire/b",
        "/v1/tokenbucket/a%2Fb/acquire",
        "/v1/counter/%00/value");
    get(all, "/v1/counter/" + "n".repeat(257) + "/value", "/v1/none/a/acquire");
    for (String method : List.of("PUT", "DELETE", "PATCH")) {
      ask(all, method + " /v1/tokenbucket/a/acquire", method + " /.well-known/ready");
    }
    ask(all, "POST /v1/tokenbucket/a", "POST /.well-known/ready", "GET /openapi.json");
    get(all, "/v1/tokenbucket/a/acquire?%zz=1", "/v1/counter/a/value?id=" + "i".repeat(1_025));
    check("paths", all);
  }
}
