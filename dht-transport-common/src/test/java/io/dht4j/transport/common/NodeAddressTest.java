package io.dht4j.transport.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeAddressTest {

    @ParameterizedTest
    @CsvSource({"localhost:1,localhost,1", "node-1.example:65535,node-1.example,65535", "[::1]:80,::1,80"})
    void anAddressHasHostAndPort(String text, String host, int port) {
        assertThat(NodeAddress.parse(text)).contains(new NodeAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                ":80",
                "localhost:",
                "localhost:0",
                "localhost:65536",
                "::1:80",
                "a/b:80",
                "a b:8"
            })
    void otherFormsAreNoAddresses(String text) {
        assertThat(NodeAddress.parse(text)).isEmpty();
    }
}
