package io.penstock.operator;

import java.net.URI;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.MediaTypeFactory;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.webjars.WebJarVersionLocator;
import reactor.core.publisher.Mono;

/**
 * Serves the console: a page and its files, which hold no data. The page fetches its data with the
 * token, as any other client of this port does.
 */
final class ConsolePage {
  /** The page may only run its own files and send requests to this port. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types lit-html";

  /** A file of a library, as named in its WebJar. */
  private record Library(String webjar, String file) {}

  /** Files of libraries by the names that the page uses for them. */
  private static final Map<String, Library> LIBRARIES =
      Map.of(
          "lit-html.js", new Library("lit-html", "lit-html.js"),
          "directive.js", new Library("lit-html", "directive.js"),
          "directive-helpers.js", new Library("lit-html", "directive-helpers.js"),
          "directives/repeat.js", new Library("lit-html", "directives/repeat.js"),
          "chart.js", new Library("chart.js", "dist/chart.umd.min.js"));

  private static final WebJarVersionLocator WEBJARS = new WebJarVersionLocator();

  private static final Pattern FILE = Pattern.compile("[a-z]+\\.(?:js|css|svg)");

  private static final Resource REASONS = ReasonTable.page();

  private ConsolePage() {}

  /** Returns whether a path belongs to the page, which anybody may read. */
  static boolean has(String path) {
    return path.equals("/") || path.equals("/console") || path.startsWith("/console/");
  }

  static RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/", request -> ServerResponse.seeOther(URI.create("/console")).build())
        .GET("/console", request -> answer(own("index.html")))
        .HEAD("/console", request -> answer(own("index.html")))
        .GET("/console/lib/{*file}", ConsolePage::library)
        .GET("/console/{file}", ConsolePage::file)
        .path("/console", () -> ProblemAnswer.only("GET, HEAD"))
        .build();
  }

  private static Resource own(String file) {
    return new ClassPathResource("console/" + file, ConsolePage.class);
  }

  private static Mono<ServerResponse> file(ServerRequest request) {
    String file = request.pathVariable("file");
    if (file.equals("reasons")) {
      return answer(REASONS);
    }
    return FILE.matcher(file).matches() ? answer(own(file)) : nothing();
  }

  private static Mono<ServerResponse> library(ServerRequest request) {
    String file = request.pathVariable("file").substring(1);
    Library of = LIBRARIES.get(file);
    String path = of == null ? null : WEBJARS.fullPath(of.webjar(), of.file());
    return path == null ? nothing() : answer(new ClassPathResource(path));
  }

  private static Mono<ServerResponse> answer(Resource resource) {
    if (!resource.exists()) {
      return nothing();
    }
    MediaType type =
        MediaTypeFactory.getMediaType(resource).orElse(MediaType.APPLICATION_OCTET_STREAM);
    return ServerResponse.ok()
        .contentType(type)
        .header("Content-Security-Policy", POLICY)
        .bodyValue(resource);
  }

  private static Mono<ServerResponse> nothing() {
    return ProblemAnswer.answering(HttpStatus.NOT_FOUND, "there is nothing here");
  }
}
