package io.dht4j.transport.grpc.api;

import java.time.Duration;

/** Checks of option values; each message names the option, the value and the allowed range. */
final class GrpcApiChecks {

    private GrpcApiChecks() {}

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
}
