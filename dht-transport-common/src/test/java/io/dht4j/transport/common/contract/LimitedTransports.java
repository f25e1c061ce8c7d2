package io.dht4j.transport.common.contract;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.TransportHarness;
import io.dht4j.transport.common.options.PeerTransportOptions;
import java.util.function.UnaryOperator;

/**
 * Transports with the options that all transports between nodes have, and what their listeners hold.
 *
 * @param <T> the options of one transport
 */
public interface LimitedTransports<T extends PeerTransportOptions<T>> extends TransportHarness {

    /** Changes the options of the transports that are started from now on. */
    void with(UnaryOperator<T> change);

    /** Returns the number of requests in flight at a started transport. */
    int inFlight(Transport transport);

    /** Returns the bytes that a started transport holds for requests in flight. */
    long inFlightBytes(Transport transport);

    /** Waits until a transport holds nothing for its peers. */
    default void awaitNothingHeld(Started started) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(inFlight(started.transport())).isZero();
            assertThat(inFlightBytes(started.transport())).isZero();
        });
    }
}
