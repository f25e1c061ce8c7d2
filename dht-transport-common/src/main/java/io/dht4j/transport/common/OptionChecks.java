package io.dht4j.transport.common;

import io.dht4j.spi.TlsFiles;
import java.time.Duration;

/**
 * Checks of option values. Each refusal is an {@link IllegalArgumentException} that names the option, the value and the
 * allowed range. Safe for use by any number of threads.
 */
public final class OptionChecks {

    private OptionChecks() {}

    /**
     * Refuses a blank host.
     *
     * @param host a name or an address
     * @throws IllegalArgumentException if it is blank
     */
    public static void host(String host) {
        if (host.isBlank()) {
            throw new IllegalArgumentException("host must be a name or an address, not \"" + host + "\"");
        }
    }

    /**
     * Refuses a number out of its range.
     *
     * @param option the option's name
     * @param value its value
     * @param least the least that is allowed
     * @param most the most that is allowed
     * @throws IllegalArgumentException if the value is out of the range
     */
    public static void range(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " must be " + least + " to " + most + ", not " + value);
        }
    }

    /**
     * Refuses a time out of its range.
     *
     * @param option the option's name
     * @param value its value
     * @param least the least that is allowed
     * @param most the most that is allowed
     * @throws IllegalArgumentException if the value is out of the range
     */
    public static void range(String option, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(option + " must be " + least + " to " + most + ", not " + value);
        }
    }

    /**
     * Refuses files that a server cannot serve with: it needs a certificate with its key, and the authorities of its
     * peers where peers call.
     *
     * @param files the server's files
     * @param forPeers whether peers call
     * @throws IllegalArgumentException if a file is missing
     */
    public static void serverFiles(TlsFiles files, boolean forPeers) {
        if (files.certificate().isEmpty()) {
            throw new IllegalArgumentException("tls: who listens needs a certificate and its key");
        }
        if (forPeers && files.authorities().isEmpty()) {
            throw new IllegalArgumentException(
                    "tls: where peers call, the authorities of their certificates must be given");
        }
    }
}
