package io.dht4j.transport.http;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A client of HTTP/2 without TLS that sends just the frames it is told to. Belongs to one thread. */
final class RawHttp2 implements AutoCloseable {

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;

    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int ACK = 1;
    private static final int HEAD_BYTES = 9;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int nextStream = 1;

    /** Connects, with prior knowledge. */
    RawHttp2(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, new byte[0]);
        flush();
    }

    /** A frame as it came. */
    record Frame(int type, int flags, int stream, byte[] payload) {

        boolean isAck() {
            return (flags & ACK) != 0;
        }

        /** The code of a frame that says goodbye. */
        long goAwayCode() {
            return Integer.toUnsignedLong(ByteBuffer.wrap(payload).getInt(4));
        }
    }

    void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        head.putInt(payload.length << 8 | type).put((byte) flags).putInt(stream);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.array());
        all.writeBytes(payload);
        out.write(all.toByteArray());
    }

    void flush() throws IOException {
        out.flush();
    }

    void ping() throws IOException {
        frame(PING, 0, 0, new byte[8]);
    }

    void settings() throws IOException {
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    void reset(int stream) throws IOException {
        frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
    }

    /** Lets the server send more of a stream. */
    void windowUpdate(int stream, int increment) throws IOException {
        frame(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(increment).array());
    }

    /** Sends the head of a request, with no index but the static table's, and says which stream it has. */
    int request(String method, String path, boolean ends, String... headers) throws IOException {
        List<String> fields = new ArrayList<>(List.of(":authority", "localhost"));
        fields.addAll(List.of(headers));
        return requestWithoutAuthority(method, path, ends, fields.toArray(String[]::new));
    }

    /** As {@link #request}, but with no more fields than the given ones say. */
    int requestWithoutAuthority(String method, String path, boolean ends, String... fields) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        literal(block, ":method", method);
        literal(block, ":scheme", "http");
        literal(block, ":path", path);
        for (int i = 0; i < fields.length; i += 2) {
            literal(block, fields[i], fields[i + 1]);
        }
        int stream = nextStream;
        nextStream += 2;
        frame(HEADERS, END_HEADERS | (ends ? END_STREAM : 0), stream, block.toByteArray());
        return stream;
    }

    private static void literal(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        block.write(text.length());
        block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    void body(int stream, byte[] body) throws IOException {
        frame(DATA, END_STREAM, stream, body);
    }

    Frame read() throws IOException {
        int head = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = in.readNBytes(head >>> 8);
        return new Frame(head & 0xFF, flags, stream, payload);
    }

    /** Reads until a frame of a type. */
    Frame readUntil(int type) throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.type() == type) {
                return frame;
            }
        }
    }

    /** Reads until the connection ends, and gives the code with which the server said goodbye first, if it did. */
    OptionalLong untilClosed() throws IOException {
        OptionalLong code = OptionalLong.empty();
        try {
            while (true) {
                Frame frame = read();
                if (frame.type() == GOAWAY && code.isEmpty()) {
                    code = OptionalLong.of(frame.goAwayCode());
                }
            }
        } catch (EOFException | SocketException closed) {
            return code;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
