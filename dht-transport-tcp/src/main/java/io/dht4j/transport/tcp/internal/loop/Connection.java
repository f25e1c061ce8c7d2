package io.dht4j.transport.tcp.internal.loop;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An established TCP connection: passes received bytes to a subclass, and writes the bytes that the subclass puts into
 * a buffer, while the socket accepts them. Bytes that the socket does not accept stay in the buffer, which the subclass
 * fills again only once it is written completely. For the loop's thread.
 */
public abstract class Connection implements Selectable {

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** How often one connection reads before others get their turn. */
    private static final int MAX_READS = 4;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final EventLoop loop;
    private final SocketChannel channel;
    private final Wire wire;
    private final SelectionKey key;
    private final Runnable handshakeStep = this::continueHandshake;
    private @Nullable ByteBuffer out;
    private boolean open;
    private boolean closed;
    private boolean paused;
    /** Whether bytes of the TLS handshake wait in the socket for their turn. */
    private boolean handshakeWaits;

    private boolean outputEnded;

    /** Takes over a connected channel, which is registered with the loop. */
    protected Connection(EventLoop loop, SelectionKey key, Wire wire) {
        this.loop = loop;
        this.channel = (SocketChannel) key.channel();
        this.key = key;
        this.wire = wire;
    }

    /** Begins to read, and with TLS to shake hands. */
    protected final void begin() {
        key.attach(this);
        try {
            wire.write(NOTHING);
            openOnceEstablished();
            setOperations();
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Runs a step of a TLS handshake, which computes for a while; a subclass may run it later. */
    protected void handshake(Runnable step) {
        step.run();
    }

    /** The connection has ended before a subclass has run this step. */
    protected void handshakeEnded(Runnable step) {}

    /** The bytes of the connection can be read and written from now on. */
    protected abstract void opened() throws IOException;

    /** Receives all bytes that have arrived. */
    protected abstract void received(ByteBuffer in) throws IOException;

    /** All bytes that had arrived were received. */
    protected abstract void receivedAll() throws IOException;

    /** Puts pending bytes, as many as fit, into the buffer. */
    protected abstract void fill(ByteBuffer buffer) throws IOException;

    /** All pending bytes, or as many as the socket accepts, were written. */
    protected void written() {}

    /** The connection has ended, for a reason of the network or of the other side. */
    protected abstract void lost(Throwable why);

    /** The number of bytes that wait for the socket has changed by this, since a buffer is held or released. */
    protected void held(int bytes) {}

    @Override
    public final void ready(SelectionKey ready) {
        try {
            if (ready.isReadable() && open) {
                read();
            } else if (ready.isReadable() && !handshakeWaits) {
                readHandshake();
            }
            if (!closed && ready.isWritable()) {
                write();
                openOnceEstablished();
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    @Override
    public final void fail(Throwable why) {
        if (!closed) {
            close();
            lost(why);
        }
    }

    private void readHandshake() {
        handshakeWaits = true;
        handshake(handshakeStep);
        if (handshakeWaits) {
            setOperations();
        }
    }

    private void continueHandshake() {
        handshakeWaits = false;
        readDeferred();
    }

    private void read() throws IOException {
        ByteBuffer in = loop.received();
        for (int i = 0; i < MAX_READS && !closed && !paused; i++) {
            in.clear();
            int count = wire.read(in);
            openOnceEstablished();
            in.flip();
            if (in.hasRemaining() && !closed) {
                received(in);
            }
            if (count < 0 && !closed) {
                throw new EOFException("the other side has closed the connection");
            }
            if (count < in.capacity() / 2) {
                // The socket is empty, most likely.
                break;
            }
        }
        if (!closed) {
            receivedAll();
            setOperations();
        }
    }

    private void openOnceEstablished() throws IOException {
        if (!open && !closed && wire.isEstablished()) {
            open = true;
            opened();
        }
    }

    /** Writes while there are bytes to write and the socket accepts them. */
    public final void flush() {
        try {
            write();
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            // The content of the buffer is lost, perhaps the middle of a frame.
            fail(e);
            throw e;
        }
    }

    private void write() throws IOException {
        boolean more = true;
        while (more && !closed) {
            more = writeBuffer();
        }
        if (!closed) {
            written();
            setOperations();
            if (wire.isReadDeferred() && !wire.isBlocked()) {
                loop.execute(new LoopTask(this::readDeferred));
            }
        }
    }

    /** Fills and writes a buffer. Returns whether it was not empty, and the socket has accepted all of it. */
    private boolean writeBuffer() throws IOException {
        if (out == null && !isTaken()) {
            return false;
        }
        ByteBuffer buffer = out == null ? loop.buffers().take() : out;
        boolean isWritten = false;
        try {
            if (out == null) {
                if (open && !outputEnded) {
                    fill(buffer);
                }
                buffer.flip();
            }
            boolean isEmpty = !buffer.hasRemaining();
            if (!isEmpty) {
                wire.write(buffer);
            }
            isWritten = true;
            keep(buffer);
            return !isEmpty && !isBlocked();
        } finally {
            if (!isWritten && out == null) {
                loop.buffers().give(buffer);
            }
        }
    }

    /** Returns whether the socket has accepted the encrypted bytes; until then, the buffer gets no further bytes. */
    private boolean isTaken() throws IOException {
        if (wire.isBlocked()) {
            wire.write(NOTHING);
        }
        return !wire.isBlocked();
    }

    private void readDeferred() {
        try {
            read();
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }

    /** Keeps a buffer that has not been written completely, or gives it back. */
    private void keep(ByteBuffer buffer) {
        if (closed) {
            // It has been given back, or is not worth it.
            return;
        }
        boolean kept = out != null;
        if (buffer.hasRemaining()) {
            out = buffer;
        } else {
            out = null;
            loop.buffers().give(buffer);
        }
        if (kept != (out != null)) {
            held(kept ? -BufferPool.BUFFER_BYTES : BufferPool.BUFFER_BYTES);
        }
    }

    private void setOperations() {
        if (!key.isValid()) {
            return;
        }
        // Deferred bytes are read first, once the socket accepts the written ones.
        boolean reads = !paused && !handshakeWaits && !wire.isReadDeferred();
        int operations = (reads ? SelectionKey.OP_READ : 0) | (wire.isBlocked() ? SelectionKey.OP_WRITE : 0);
        if (key.interestOps() != operations) {
            key.interestOps(operations);
        }
    }

    /** Stops or continues reading. */
    protected final void pause(boolean stop) {
        if (paused != stop && !closed) {
            paused = stop;
            setOperations();
        }
    }

    /** Returns whether the socket has not accepted all bytes of {@link #fill}. */
    protected final boolean isBlocked() {
        return out != null || wire.isBlocked();
    }

    /** Writes the pending bytes and no further ones; reading continues. */
    protected final void endOutput() throws IOException {
        write();
        outputEnded = true;
        if (!closed && !isBlocked()) {
            wire.endOutput();
        }
    }

    protected final EventLoop loop() {
        return loop;
    }

    public final boolean isClosed() {
        return closed;
    }

    /** Closes the connection without a report. May be called repeatedly. */
    public final void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (handshakeWaits) {
            handshakeEnded(handshakeStep);
        }
        try {
            if (!outputEnded && open && out == null) {
                wire.endOutput();
            }
        } catch (IOException e) {
            LOG.debug("a connection that is closed could not end its output", e);
        }
        ByteBuffer buffer = out;
        if (buffer != null) {
            out = null;
            loop.buffers().give(buffer);
            held(-BufferPool.BUFFER_BYTES);
        }
        wire.release();
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection failed", e);
        }
    }
}
