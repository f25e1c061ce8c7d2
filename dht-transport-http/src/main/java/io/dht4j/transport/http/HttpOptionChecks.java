package io.dht4j.transport.http;

import io.dht4j.spi.TlsFiles;
import java.time.Duration;

/** Checks of option values; each message names the option, the value and the allowed range. */
final class HttpOptionChecks {

    private HttpOptionChecks() {}

    static void host(String host) {
        if (host.isBlank()) {
            throw new IllegalArgumentException("host must be a name or an address, not \"" + host + "\"");
        }
    }

    static void range(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " must be " + least + " to " + most + ", not " + value);
        }
    }

    static void range(String option, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(option + " must be " + least + " to " + most + ", not " + value);
        }
    }

    /** Files for one who listens: a certificate to show and, where peers call, the authorities of theirs. */
    static void serverFiles(TlsFiles files, boolean forPeers) {
        if (files.certificate().isEmpty()) {
            throw new IllegalArgumentException("tls: who listens needs a certificate and its key");
        }
        if (forPeers && files.authorities().isEmpty()) {
            throw new IllegalArgumentException(
                    "tls: where peers call, the authorities of their certificates must be given");
        }
    }
}
