package io.dht4j.transport.tcp.internal.loop;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Converts the bytes of a connection to those on its socket, and back. For the loop's thread; never blocks. */
public interface Wire {

    /** Returns whether bytes of the connection can be read and written. */
    boolean isEstablished();

    /**
     * Reads what has come, and does what is needed to become established.
     *
     * @param in an empty buffer, longer than {@link EventLoop#encrypted} by a record of TLS
     * @return how many bytes came from the socket; -1 if no more will come
     */
    int read(ByteBuffer in) throws IOException;

    /** Returns whether something was left unread that can be read once the socket takes what is written. */
    boolean isReadDeferred();

    /** Writes as much as the socket takes, and does what is needed to become established. */
    void write(ByteBuffer out) throws IOException;

    /** Returns whether the socket has not taken everything: then {@link #write} is called when it takes more. */
    boolean isBlocked();

    /** Tells the other side that nothing more will be written, if the socket takes that at once. */
    void endOutput() throws IOException;

    /** Releases all buffers. May be called repeatedly. */
    void release();
}
