package io.dht4j.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.Transport;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles sources against the published modules alone, and packs the classes into a jar. */
final class JarOfSources {

    private final Path directory;
    private final List<Path> sources = new ArrayList<>();

    JarOfSources(Path directory) {
        this.directory = directory;
    }

    JarOfSources with(String className, String source) throws IOException {
        Path file = directory.resolve("source").resolve(className.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        int dot = className.lastIndexOf('.');
        Files.writeString(file, (dot < 0 ? "" : "package " + className.substring(0, dot) + ";\n") + source);
        sources.add(file);
        return this;
    }

    /** Packs all classes except some, each changed by a function. */
    Path pack(UnaryOperator<byte[]> change, String... leftOut) throws Exception {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-cp", home(Transport.class) + ":" + home(Echo.class));
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            assertThat(compiler.getTask(
                                    messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                            .call())
                    .as(messages.toString())
                    .isTrue();
        }
        Path jar = directory.resolve("my.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> all = Files.walk(classes)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String entry = classes.relativize(file).toString();
                if (!List.of(leftOut).contains(entry)) {
                    out.putNextEntry(new ZipEntry(entry));
                    out.write(change.apply(Files.readAllBytes(file)));
                }
            }
        }
        return jar;
    }

    Path pack() throws Exception {
        return pack(UnaryOperator.identity());
    }

    private static Path home(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
