package io.dht4j.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaintextTest {

    private final List<String> warnings = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]"})
    void withinThisMachineItIsAllowedWithoutAWord(String host) {
        Plaintext.require("the public API", host, false, "--allow-plaintext", warnings::add);
        Plaintext.require("the public API", host, true, "--allow-plaintext", warnings::add);
        assertThat(warnings).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.1.2.3", "", " "})
    void beyondItHasToBeAskedFor(String host) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Plaintext.require("the public API", host, false, "--allow-plaintext", warnings::add))
                .withMessage("the public API at " + host + " would be plaintext beyond this machine: set up TLS, bind a"
                        + " loopback address, or ask for it by --allow-plaintext");
        assertThat(warnings).isEmpty();
        Plaintext.require("the public API", host, true, "--allow-plaintext", warnings::add);
        assertThat(warnings)
                .containsExactly(
                        "the public API at " + host + " is plaintext beyond this machine, as --allow-plaintext allows");
    }

    @Test
    void unknownHostIsNamedBeforePlaintext() {
        String host = "no-such-host.invalid";
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Plaintext.require("the public API", host, false, "--allow-plaintext", warnings::add))
                .withMessage("the public API at " + host + ": the name of the host cannot be resolved");
        Plaintext.require("the public API", host, true, "--allow-plaintext", warnings::add);
        assertThat(warnings).hasSize(1);
    }
}
