package io.dht4j.transport.grpc;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.grpc.internal.client.PeerOptions;

/**
 * The options of a {@link GrpcTransport}: address, calls and limits. Immutable. Every {@code with} method returns a
 * copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range.
 */
public final class GrpcTransportOptions extends PeerTransportOptions<GrpcTransportOptions> {

    private final GrpcMode mode;
    private final int connectionsPerPeer;

    private GrpcTransportOptions(Settings settings, GrpcMode mode, int connectionsPerPeer) {
        super(settings);
        Ranges.require("connectionsPerPeer", connectionsPerPeer, 1, 256);
        this.mode = mode;
        this.connectionsPerPeer = connectionsPerPeer;
    }

    /**
     * Returns the defaults at an address.
     *
     * @param host the name or address to bind, for example {@code 127.0.0.1} or {@code 0.0.0.0}
     * @param port the port to bind, 1 to 65535, or 0 for any free one
     * @return options
     * @throws IllegalArgumentException if the host is blank or has a port, or the port is out of range
     */
    public static GrpcTransportOptions at(String host, int port) {
        return new GrpcTransportOptions(Settings.of(new ListenAddress(host, port), true), GrpcMode.STREAM, 1);
    }

    /**
     * Returns the defaults for a member that calls others and does not listen.
     *
     * @return options; those of listening have no effect
     */
    public static GrpcTransportOptions callingOnly() {
        return new GrpcTransportOptions(Settings.of(new ListenAddress("127.0.0.1", 0), false), GrpcMode.STREAM, 1);
    }

    @Override
    protected GrpcTransportOptions with(Settings changed) {
        return new GrpcTransportOptions(changed, mode, connectionsPerPeer);
    }

    /**
     * Returns a copy with this mode of sending calls. Nodes of both modes can call each other.
     *
     * @param mode the mode; by default {@link GrpcMode#STREAM}
     * @return new options
     */
    public GrpcTransportOptions withMode(GrpcMode mode) {
        return new GrpcTransportOptions(settings(), requireNonNull(mode, "mode"), connectionsPerPeer);
    }

    /**
     * Returns a copy with this number of connections to each peer, which are assigned to the event loops round-robin.
     * Each connection carries any number of calls. More connections let more threads work for one peer, and put fewer
     * frames into one write.
     *
     * @param connections 1 to 256; by default 1
     * @return new options
     */
    public GrpcTransportOptions withConnectionsPerPeer(int connections) {
        return new GrpcTransportOptions(settings(), mode, connections);
    }

    /**
     * Returns how calls are sent.
     *
     * @return the mode
     */
    public GrpcMode mode() {
        return mode;
    }

    /**
     * Returns the number of connections to each peer.
     *
     * @return the number
     */
    public int connectionsPerPeer() {
        return connectionsPerPeer;
    }

    PeerOptions peers() {
        return new PeerOptions(this, mode == GrpcMode.STREAM, connectionsPerPeer);
    }
}
