package io.dht4j.transport.tcp.internal.tls;

import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.Wire;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts with the JDK's TLS. Between reads it holds at most an incomplete record of the other side, and the bytes
 * that the socket has not accepted. The work of a handshake runs on the loop, at the other side's pace.
 */
public final class TlsWire implements Wire {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final EventLoop loop;
    /** The beginning of a record whose end has not come; more if the handshake waits for the socket. */
    private ByteBuffer unread = NOTHING;

    private boolean deferred;
    /** Encrypted bytes that the socket has not taken. */
    private @Nullable ByteBuffer untaken;

    private boolean begun;
    private boolean established;

    /** Takes an engine that has its mode and has not begun. */
    public TlsWire(SocketChannel channel, SSLEngine engine, EventLoop loop) {
        this.channel = channel;
        this.engine = engine;
        this.loop = loop;
    }

    /** Returns the session, once the wire is established. */
    public SSLSession session() {
        return engine.getSession();
    }

    @Override
    public boolean isEstablished() {
        return established;
    }

    @Override
    public int read(ByteBuffer in) throws IOException {
        ByteBuffer encrypted = loop.encrypted().clear().put(unread);
        unread = NOTHING;
        int count = channel.read(encrypted);
        encrypted.flip();
        deferred = false;
        try {
            decrypt(encrypted, in);
        } catch (SSLException e) {
            sendAlert();
            throw e;
        }
        if (encrypted.hasRemaining()) {
            unread = ByteBuffer.allocate(encrypted.remaining()).put(encrypted).flip();
        }
        if (count < 0 && !established) {
            throw new EOFException("the other side has closed the connection within the TLS handshake");
        }
        return engine.isInboundDone() ? -1 : count;
    }

    /** Decrypts all complete records. */
    private void decrypt(ByteBuffer encrypted, ByteBuffer in) throws IOException {
        while (true) {
            if (!handshake()) {
                deferred = true;
                return;
            }
            SSLEngineResult result = engine.unwrap(encrypted, in);
            noteEnd(result);
            switch (result.getStatus()) {
                case OK -> {
                    if (result.bytesConsumed() == 0 && result.bytesProduced() == 0 && !mustAct(result)) {
                        return;
                    }
                }
                case BUFFER_OVERFLOW -> throw new SSLException("a record is longer than was announced");
                case BUFFER_UNDERFLOW, CLOSED -> {
                    handshake();
                    return;
                }
            }
        }
    }

    private static boolean mustAct(SSLEngineResult result) {
        return result.getHandshakeStatus() == HandshakeStatus.NEED_TASK
                || result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
    }

    private void noteEnd(SSLEngineResult result) {
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
            established = true;
        }
    }

    /**
     * Carries out this side's steps of the handshake. Returns false if it cannot continue before the socket accepts
     * more.
     */
    private boolean handshake() throws IOException {
        if (!begun) {
            begun = true;
            engine.beginHandshake();
        }
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> {
                    refuseRenegotiation();
                    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                        task.run();
                    }
                }
                case NEED_WRAP -> {
                    if (!send()) {
                        return false;
                    }
                    if (encrypt(NOTHING) == Status.CLOSED) {
                        return true;
                    }
                    send();
                }
                default -> {
                    return true;
                }
            }
        }
    }

    /** Only TLS 1.2 has it. It would have a caller shake hands on one connection for as long as it likes. */
    private void refuseRenegotiation() throws SSLException {
        if (established && !engine.getSession().getProtocol().equals("TLSv1.3")) {
            throw new SSLException("the other side begins a further TLS handshake, which is refused");
        }
    }

    @Override
    public boolean isReadDeferred() {
        return deferred;
    }

    @Override
    public void write(ByteBuffer out) throws IOException {
        try {
            if (!send() || !handshake() || !established) {
                return;
            }
        } catch (SSLException e) {
            sendAlert();
            throw e;
        }
        while (out.hasRemaining()) {
            Status status = encrypt(out);
            if (!send()) {
                return;
            }
            if (status == Status.CLOSED) {
                throw new EOFException("the connection is closed for writing");
            }
        }
    }

    /** Encrypts the next bytes, as many as fit into a buffer. The socket has accepted all earlier ones. */
    private Status encrypt(ByteBuffer out) throws IOException {
        ByteBuffer buffer = loop.buffers().take();
        untaken = buffer;
        try {
            Status status;
            do {
                SSLEngineResult result = engine.wrap(out, buffer);
                noteEnd(result);
                status = result.getStatus();
                if (status == Status.OK && result.bytesProduced() == 0 && out.hasRemaining()) {
                    throw new SSLException("TLS takes no bytes within a handshake");
                }
            } while (status == Status.OK && out.hasRemaining());
            return status;
        } finally {
            buffer.flip();
        }
    }

    /** Writes the encrypted bytes. Returns whether the socket has accepted all of them. */
    private boolean send() throws IOException {
        ByteBuffer buffer = untaken;
        if (buffer == null) {
            return true;
        }
        if (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        if (buffer.hasRemaining()) {
            return false;
        }
        untaken = null;
        loop.buffers().give(buffer);
        return true;
    }

    @Override
    public boolean isBlocked() {
        return untaken != null;
    }

    @Override
    public void endOutput() throws IOException {
        engine.closeOutbound();
        if (send()) {
            encrypt(NOTHING);
            send();
        }
    }

    /** Reports to the other side why the handshake failed, if the socket accepts that at once. */
    private void sendAlert() {
        try {
            if (send() && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                encrypt(NOTHING);
                send();
            }
        } catch (IOException e) {
            // The engine has no alert, or the other side has disconnected.
            return;
        }
    }

    @Override
    public void release() {
        unread = NOTHING;
        deferred = false;
        ByteBuffer buffer = untaken;
        if (buffer != null) {
            untaken = null;
            loop.buffers().give(buffer);
        }
    }
}
