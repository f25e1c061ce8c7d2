package io.dht4j.transport.tcp;

import io.dht4j.NodeId;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One end of a connection whose bytes a test makes. */
final class RawConnection implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 30_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    /** A record as it came. */
    record Received(int type, long id, byte[] bytes) {}

    RawConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Connects to a port of this machine. */
    static RawConnection to(int port) throws IOException {
        return new RawConnection(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Connects as a caller that has been greeted. */
    static RawConnection greetedBy(int port) throws IOException {
        RawConnection caller = to(port);
        caller.send(callerHello());
        caller.readHello();
        return caller;
    }

    static byte[] callerHello() {
        return Hello.ofCaller(Optional.of(new NodeId("raw")), new NodeId("peer"))
                .encode();
    }

    static byte[] calleeHello() {
        return Hello.ofCallee(Optional.empty(), Hello.VERSION).encode();
    }

    /** Returns the beginning of a record that announces this many bytes; what follows can be put. */
    static ByteBuffer record(int type, long id, int length) {
        return ByteBuffer.allocate(100 + Math.min(1 << 20, Math.max(0, length)))
                .putInt(length)
                .put((byte) type)
                .putLong(id);
    }

    /** Returns a whole request. */
    static ByteBuffer request(long id, byte[] frame) {
        return record(RecordType.REQUEST, id, 8 + frame.length)
                .putLong(600_000_000)
                .put(frame);
    }

    /** Returns the beginning of a large request. */
    static ByteBuffer requestBegins(long id, int total, byte[] part) {
        return record(RecordType.REQUEST_BEGINS, id, 12 + part.length)
                .putLong(600_000_000)
                .putInt(total)
                .put(part);
    }

    void send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Sends what was put. */
    void send(ByteBuffer bytes) throws IOException {
        out.write(bytes.array(), 0, bytes.position());
        out.flush();
    }

    Hello readHello() throws IOException {
        Hello.Reader reader = new Hello.Reader();
        while (true) {
            Optional<Hello> hello =
                    reader.read(ByteBuffer.allocate(1).put(in.readByte()).flip());
            if (hello.isPresent()) {
                return hello.get();
            }
        }
    }

    Received read() throws IOException {
        byte[] bytes = new byte[in.readInt()];
        int type = in.readByte();
        long id = in.readLong();
        in.readFully(bytes);
        return new Received(type, id, bytes);
    }

    /** Waits until the other side has closed the connection, whatever it sends before. */
    void awaitEnd() throws IOException {
        try {
            in.skipNBytes(Long.MAX_VALUE);
        } catch (EOFException | SocketException e) {
            // The end, or the other side did not read everything.
            return;
        }
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
