package io.penstock.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * One Java file: its text, and its tree as parsed by the compiler.
 *
 * @param path relative to the repository, with slashes
 */
record CheckedSource(
    String path, String text, CompilationUnitTree tree, SourcePositions positions) {
  /** A string, a character or a comment; the group is the comment. */
  private static final Pattern TOKEN =
      Pattern.compile(
          "\"\"\"[\\s\\S]*?(?<!\\\\)\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\\\n])*+\""
              + "|'(?:\\\\.|[^'\\\\\\n])*+'"
              + "|(//[^\\n]*|/\\*[\\s\\S]*?\\*/)");

  /** Returns the sources of the files, parsed together. */
  static List<CheckedSource> parse(List<Path> files) {
    List<Text> texts = new ArrayList<>();
    for (Path file : files) {
      texts.add(new Text(slashes(file), SourceTree.text(file).orElseThrow()));
    }
    return parseTexts(texts);
  }

  /** Returns a source that exists only as text. */
  static CheckedSource of(String path, String text) {
    return parseTexts(List.of(new Text(path, text))).getFirst();
  }

  private static List<CheckedSource> parseTexts(List<Text> texts) {
    StringBuilder faults = new StringBuilder();
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, fault -> faults.append(fault).append('\n'), null, null, texts);
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    List<CheckedSource> sources = new ArrayList<>();
    try {
      for (CompilationUnitTree unit : task.parse()) {
        Text text = texts.get(sources.size());
        sources.add(new CheckedSource(text.path, text.text, unit, positions));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException("cannot parse: " + faults);
    }
    return sources;
  }

  private static String slashes(Path path) {
    return path.toString().replace('\\', '/');
  }

  /** Returns whether the file belongs to the program rather than its tests. */
  boolean main() {
    return path.startsWith("src/main/java/");
  }

  /** Returns the package of the file; empty if it declares none. */
  String packageName() {
    return tree.getPackageName() == null ? "" : tree.getPackageName().toString();
  }

  long firstLine(Tree part) {
    return line(positions.getStartPosition(tree, part));
  }

  private long line(long position) {
    return tree.getLineMap().getLineNumber(position);
  }

  /** Returns the comments, including Javadoc but not comment-like text in strings. */
  List<String> comments() {
    List<String> comments = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    while (matcher.find()) {
      if (matcher.group(1) != null) {
        comments.add(matcher.group(1));
      }
    }
    return comments;
  }

  /** Returns the comments, with successive lines of {@code //} as one comment. */
  List<String> commentBlocks() {
    List<String> blocks = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    int end = 0;
    while (matcher.find()) {
      String comment = matcher.group(1);
      if (comment == null) {
        continue;
      }
      boolean follows =
          comment.startsWith("//")
              && !blocks.isEmpty()
              && blocks.getLast().startsWith("//")
              && text.substring(end, matcher.start()).isBlank();
      blocks.add(follows ? blocks.removeLast() + "\n" + comment : comment);
      end = matcher.end();
    }
    return blocks;
  }

  /** Returns the text without comments and without the content of strings and characters. */
  String code() {
    return TOKEN.matcher(text).replaceAll(" ");
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String path;
    private final String text;

    Text(String path, String text) {
      super(URI.create("string:///" + path), Kind.SOURCE);
      this.path = path;
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
