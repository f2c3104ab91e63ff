package io.penstock.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.refusal.ReasonGuide;
import io.penstock.refusal.RefusalReason;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.web.util.HtmlUtils;

/** The page of the console that says what each reason of a refusal means. */
final class ReasonTable {
  private static final String BEGINNING =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Penstock: reasons of refusals</title>
      <link rel="icon" href="icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="console.css">
      </head>
      <body>
      <main class="body">
      <h1>Reasons of refusals</h1>
      <div class="card">
      <table class="reasons">
      <thead><tr>
      <th scope="col">Reason</th><th scope="col">Status</th><th scope="col">When</th>
      <th scope="col">The client should</th><th scope="col">The operator can</th>
      </tr></thead>
      <tbody>
      """;

  private ReasonTable() {}

  /** Returns the page. */
  static Resource page() {
    StringBuilder page = new StringBuilder(BEGINNING);
    for (RefusalReason reason : RefusalReason.values()) {
      ReasonGuide guide = ReasonGuide.of(reason);
      page.append("<tr id=\"%1$s\"><td><code>%1$s</code></td>".formatted(reason.code()))
          .append("<td>" + reason.finalStatus() + "</td>")
          .append(cell(guide.when()) + cell(guide.client()) + cell(guide.operator()))
          .append("</tr>\n");
    }
    page.append("</tbody>\n</table>\n</div>\n</main>\n</body>\n</html>\n");
    return new ByteArrayResource(page.toString().getBytes(UTF_8)) {
      @Override
      public String getFilename() {
        return "reasons.html";
      }
    };
  }

  /** Returns a cell with a text, in which backticks mark code. */
  private static String cell(String text) {
    String code = HtmlUtils.htmlEscape(text).replaceAll("`([^`]+)`", "<code>$1</code>");
    return "<td>" + code + "</td>";
  }
}
