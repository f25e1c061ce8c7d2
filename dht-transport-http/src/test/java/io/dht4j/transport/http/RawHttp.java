package io.dht4j.transport.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends just the bytes it is told to, and reads answers one by one. */
final class RawHttp implements AutoCloseable {

    /** An answer. */
    record Answer(int status, Map<String, String> headers, byte[] body) {

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    RawHttp(int port) throws IOException {
        this(port, 0);
    }

    /** A client with a small receive buffer, which fills soon when nothing is read. */
    RawHttp(int port, int receiveBuffer) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
        socket.setSoTimeout(30_000);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    RawHttp send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawHttp send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** Reads one answer; chunks must be complete. */
    Answer read() throws IOException {
        String statusLine = line();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        int status = Integer.parseInt(statusLine.substring(9, 12));
        byte[] body = new byte[0];
        if (headers.containsKey("Transfer-Encoding")) {
            body = chunks();
        } else if (headers.containsKey("Content-Length")) {
            body = exactly(Integer.parseInt(headers.get("Content-Length")));
        }
        return new Answer(status, headers, body);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line(), 16);
            body.write(exactly(length));
            line();
            if (length == 0) {
                return body.toByteArray();
            }
        }
    }

    /** Reads one chunk of a chunked body. */
    byte[] chunk() throws IOException {
        int length = Integer.parseInt(line(), 16);
        byte[] chunk = exactly(length);
        line();
        return chunk;
    }

    byte[] exactly(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the connection ended after " + bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException("the connection ended after \"" + line + "\"");
            }
            if (c == '\n') {
                return line.toString();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
    }

    /** Whether the server closes the connection without sending anything more. */
    boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    /** What comes until the server closes the connection. */
    String untilClosed() throws IOException {
        try {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (java.net.SocketException reset) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
