package io.dht4j.examples;

import java.nio.file.Files;
import java.nio.file.Path;

/** The checkout in which the tests run. */
public final class Checkout {

    private Checkout() {}

    /** Returns the nearest directory upwards that has a README. */
    public static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("README.md"))) {
            directory = directory.getParent();
        }
        return directory;
    }
}
