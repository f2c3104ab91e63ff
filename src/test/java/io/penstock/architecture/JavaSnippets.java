package io.penstock.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.opentest4j.AssertionFailedError;

/** Small classes that violate a rule, kept as text so that the rule finds them nowhere else. */
final class JavaSnippets {
  private static final Pattern PACKAGE = Pattern.compile("package\\s+([\\w.]+)\\s*;");
  private static final Pattern TYPE = Pattern.compile("(?:class|record|interface|enum)\\s+(\\w+)");

  /**
   * Kept open, because opening every library again for each snippet takes longer than compiling it.
   */
  private static final StandardJavaFileManager FILES =
      ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null);

  private JavaSnippets() {}

  /** Compiles sources, one type each, into an empty directory and reads them as ArchUnit does. */
  static JavaClasses compile(Path directory, String... sources) {
    List<JavaFileObject> files = new ArrayList<>();
    for (String source : sources) {
      files.add(file(source));
    }
    StringBuilder faults = new StringBuilder();
    if (!compile(directory, files, fault -> faults.append(fault).append('\n'))) {
      throw new AssertionFailedError("a snippet does not compile: " + faults);
    }
    return new ClassFileImporter().importPath(directory);
  }

  private static boolean compile(
      Path directory, List<JavaFileObject> files, DiagnosticListener<JavaFileObject> faults) {
    List<String> options = List.of("-proc:none", "-nowarn");
    synchronized (FILES) {
      try {
        FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(directory));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return ToolProvider.getSystemJavaCompiler()
          .getTask(null, FILES, faults, options, null, files)
          .call();
    }
  }

  private static JavaFileObject file(String source) {
    String path = first(PACKAGE, source).replace('.', '/') + "/" + first(TYPE, source);
    URI uri = URI.create("string:///" + path + ".java");
    return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return source;
      }
    };
  }

  private static String first(Pattern pattern, String source) {
    Matcher matcher = pattern.matcher(source);
    if (!matcher.find()) {
      throw new IllegalArgumentException("a snippet has no " + pattern + ": " + source);
    }
    return matcher.group(1);
  }
}
