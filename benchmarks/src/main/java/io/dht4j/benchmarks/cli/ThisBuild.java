package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.results.Results;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Identifies builds of the library by the contents of its jars and the lab's. The same JDK builds equal jars from equal
 * sources.
 */
final class ThisBuild {

    private static final int SHOWN_BYTES = 6;

    private ThisBuild() {}

    /** Returns a short digest of the project's own jars on this process's class path, which the nodes share. */
    static String read() {
        return of(System.getProperty("java.class.path"));
    }

    static String of(String classPath) {
        List<Path> jars = Arrays.stream(classPath.split(File.pathSeparator))
                .map(Path::of)
                .filter(ThisBuild::isOwn)
                .sorted()
                .toList();
        if (jars.isEmpty()) {
            return Results.UNKNOWN_BUILD;
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path jar : jars) {
                try (InputStream in = new DigestInputStream(Files.newInputStream(jar), digest)) {
                    in.transferTo(OutputStream.nullOutputStream());
                }
            }
            return "sha256 " + HexFormat.of().formatHex(digest.digest(), 0, SHOWN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the libraries that this runs from", e);
        }
    }

    private static boolean isOwn(Path path) {
        Path name = path.getFileName();
        return name != null
                && name.toString().startsWith("dht-")
                && name.toString().endsWith(".jar");
    }
}
