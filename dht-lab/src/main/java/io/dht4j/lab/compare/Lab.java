package io.dht4j.lab.compare;

import io.dht4j.lab.TransportCandidate;

/**
 * Measures in a team's own tests, for example with JUnit:
 *
 * <pre>{@code
 * @Test
 * void theNewWireCostsNoMoreThanTheOldOne() {
 *     Lab.compare(new OldWire(), new NewWire()).assertNotWorse(5);
 * }
 * }</pre>
 */
public final class Lab {

    private Lab() {}

    /**
     * Prepares a comparison of two transports, without a start.
     *
     * @param a the transport that sets the standard
     * @param b the transport that is compared with it, with another name
     * @return a comparison of 5 repetitions of 2 seconds each, at 2,000 operations per second
     * @throws io.dht4j.lab.CandidateException if a name is malformed, or both are equal
     */
    public static TransportComparison compare(TransportCandidate a, TransportCandidate b) {
        return TransportComparison.of(a, b);
    }
}
