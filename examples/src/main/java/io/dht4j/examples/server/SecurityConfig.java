package io.dht4j.examples.server;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Who may talk to a node.
 *
 * @param tokens the file of the tokens that the public APIs ask for; empty if anyone may use them
 */
public record SecurityConfig(Optional<Path> tokens) {

    static SecurityConfig of(Given given) throws ConfigException {
        return new SecurityConfig(given.find(Setting.TOKENS, Given::path));
    }
}
