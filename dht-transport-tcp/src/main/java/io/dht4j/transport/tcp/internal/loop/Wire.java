package io.dht4j.transport.tcp.internal.loop;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Converts the bytes of a connection to those on its socket, and back. For the loop's thread; never blocks. */
public interface Wire {

    /** Returns whether bytes of the connection can be read and written. */
    boolean isEstablished();

    /**
     * Reads received bytes, and makes progress with the handshake.
     *
     * @param in an empty buffer, longer than {@link EventLoop#encrypted} by a record of TLS
     * @return how many bytes came from the socket; -1 at their end
     */
    int read(ByteBuffer in) throws IOException;

    /** Returns whether unread bytes are left that can be read once the socket accepts the written ones. */
    boolean isReadDeferred();

    /** Writes as much as the socket accepts, and makes progress with the handshake. */
    void write(ByteBuffer out) throws IOException;

    /** Returns whether the socket has not accepted all bytes: then {@link #write} is called when it accepts more. */
    boolean isBlocked();

    /** Announces the end of output to the other side, if the socket accepts that at once. */
    void endOutput() throws IOException;

    /** Releases all buffers. May be called repeatedly. */
    void release();
}
