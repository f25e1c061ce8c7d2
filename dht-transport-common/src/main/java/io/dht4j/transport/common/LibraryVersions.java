package io.dht4j.transport.common;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The versions of libraries on the class path. An application's other dependencies choose them too, and a library that
 * is too old ends in a {@link LinkageError} that names neither the library nor a remedy. Safe for use by any number of
 * threads.
 */
public final class LibraryVersions {

    private LibraryVersions() {}

    /**
     * Reads the first line of a resource that a library has in its jar. Blocks for the read.
     *
     * @param loader the library's loader
     * @param resource the name of a text file
     * @return the line without surrounding white space; empty where the resource is missing or empty
     */
    public static Optional<String> firstLine(ClassLoader loader, String resource) {
        try (InputStream in = loader.getResourceAsStream(resource)) {
            if (in == null) {
                return Optional.empty();
            }
            String line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            return Optional.ofNullable(line).map(String::strip).filter(text -> !text.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Requires that a library is not older than the version that this transport was built with. Does not block.
     *
     * @param library the library's name, for the message
     * @param found the version on the class path, like {@code 4.1.128.Final}; one without a number is accepted
     * @param least the oldest version that works
     * @param remedy what the user can do, an imperative clause
     * @throws IllegalStateException if {@code found} is older; the message has both versions and the remedy
     */
    public static void requireAtLeast(String library, String found, String least, String remedy) {
        if (isOlder(found, least)) {
            throw new IllegalStateException(
                    library + " on the class path is " + found + ", but must be " + least + " or later: " + remedy);
        }
    }

    private static boolean isOlder(String found, String least) {
        String[] left = found.split("[.-]", -1);
        String[] right = least.split("[.-]", -1);
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            if (!left[i].matches("[0-9]{1,9}") || !right[i].matches("[0-9]{1,9}")) {
                return false;
            }
            int order = Integer.compare(Integer.parseInt(left[i]), Integer.parseInt(right[i]));
            if (order != 0) {
                return order < 0;
            }
        }
        return false;
    }
}
