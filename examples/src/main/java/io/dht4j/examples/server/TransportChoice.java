package io.dht4j.examples.server;

/**
 * How the nodes talk to each other.
 *
 * @param protocol the same on every node
 */
public record TransportChoice(Protocol protocol) {

    /** Protocols between the nodes. */
    public enum Protocol {
        /** HTTP. */
        HTTP
    }

    static TransportChoice of(Given given) throws ConfigException {
        return new TransportChoice(given.choice(Setting.TRANSPORT, Protocol.class));
    }
}
