package io.dht4j.server.cli;

import java.util.Optional;

/** The arguments of the process. */
final class Arguments {

    /** The replacement for bytes that are no character in the encoding of the locale. */
    private static final char REPLACEMENT = '\uFFFD';

    private Arguments() {}

    /**
     * Returns whether an argument has lost characters. In a locale such as C the platform replaces all characters
     * outside ASCII, so that different keys become equal.
     *
     * @param args the arguments of the process
     * @return the argument and the remedy; empty if all are intact
     */
    static Optional<String> undecodable(String... args) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].indexOf(REPLACEMENT) >= 0) {
                return Optional.of("argument " + (i + 1) + ", \"" + args[i]
                        + "\", has characters that the encoding of the locale does not have; set LC_ALL to a locale"
                        + " with UTF-8, such as C.UTF-8, or give a key with --key-base64 and a value with --file");
            }
        }
        return Optional.empty();
    }
}
