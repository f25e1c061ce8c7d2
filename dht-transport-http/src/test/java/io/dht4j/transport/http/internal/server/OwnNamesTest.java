package io.dht4j.transport.http.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnNamesTest {

    @ParameterizedTest
    @CsvSource({
        "N1, n1.Corp.Example, n1 n1.corp.example",
        "n1, elsewhere.example, n1",
        "n1, n10.example, n1",
        "n1, 192.0.2.7, n1",
        "n1.example, n1.example, n1.example"
    })
    void whatAResolverSaysCountsOnlyIfTheMachineSaysItToo(String host, String canonical, String own) {
        assertThat(OwnNames.of(host, canonical)).containsExactlyInAnyOrder(own.split(" "));
    }
}
