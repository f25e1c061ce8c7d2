package io.dht4j.server.config;

/**
 * Thrown when a setting is unknown, malformed or out of range. The message is one line that names the option or the
 * variable.
 */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1;

    /**
     * Creates a failure.
     *
     * @param message one line that names the option or the variable
     */
    public ConfigException(String message) {
        super(message);
    }
}
