package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of the nodes that are refused for what they say, before the cluster is asked. */
class MembershipCallsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nodes?change=replace&node=n2&accept_data_loss=yes | accept_data_loss must be true or false, not "yes"
            nodes?change=add&node=n4&zone=b                   | zone has no effect: change=add takes change, node
            nodes?change=remove&node=n4&accept_data_loss=true | accept_data_loss has no effect: change=remove takes
            nodes?change=update&node=n4&zone=b&lost=n1        | lost has no effect: change=update takes
            nodes?change=recover&lost=n1&node=n4              | node has no effect: change=recover takes change, lost
            nodes?change=leave&node=n4                        | must be add, remove, replace, update, recover or voters
            nodes?change=add                                  | node is missing
            rebalance?change=cancel&rate=65536                | rate has no effect: change=cancel takes change
            rebalance?change=stop                             | cancel, or rate or replication_factor be given
            nodes?change=voters&voters=9                      | voters must be a whole number
            rebalance?rate=1                                  | rate must be a whole number from 65536
            """)
    void aChangeThatSaysTooMuchOrTooLittleIsRefused(String resource, String why) throws IOException {
        try (ApiNodes nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
                RawHttp connection = new RawHttp(nodes.port(0))) {
            connection.send("POST /v0/" + resource + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            assertThat(assertProblem(connection.read(), 400, ErrorCode.BAD_REQUEST))
                    .contains(why);
        }
    }
}
