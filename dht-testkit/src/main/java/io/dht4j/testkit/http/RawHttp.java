package io.dht4j.testkit.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * An HTTP client for tests that sends arbitrary bytes and reads answers one by one. Fails when no bytes arrive for half
 * a minute. Confined to one thread.
 */
public final class RawHttp implements AutoCloseable {

    /** An HTTP response. */
    public static final class Answer {

        private final int status;
        private final Map<String, String> headers;
        private final byte[] body;

        private Answer(int status, Map<String, String> headers, byte[] body) {
            this.status = status;
            this.headers = headers;
            this.body = body;
        }

        /**
         * Returns the status.
         *
         * @return 100 to 599
         */
        public int status() {
            return status;
        }

        /**
         * Returns the headers.
         *
         * @return names in any case with their values; of a repeated header, the last value
         */
        public Map<String, String> headers() {
            return headers;
        }

        /**
         * Returns the body.
         *
         * @return without the framing
         */
        public byte[] body() {
            return body;
        }

        /**
         * Returns the body as text.
         *
         * @return the body decoded as UTF-8
         */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;

    /**
     * Connects to a port of this machine. Blocks.
     *
     * @param port the port
     * @throws IOException if no process listens there
     */
    public RawHttp(int port) throws IOException {
        this(port, 0);
    }

    /**
     * Connects to a port of this machine with a small receive buffer, which fills quickly without reads. Blocks.
     *
     * @param port the port
     * @param receiveBuffer the size in bytes, or 0 for the default
     * @throws IOException if no process listens there
     */
    public RawHttp(int port, int receiveBuffer) throws IOException {
        this(port, receiveBuffer, InetAddress.getLoopbackAddress());
    }

    /**
     * Connects to a port of this machine from one of its addresses. Blocks.
     *
     * @param port the port
     * @param from the local address, such as 127.0.0.2 on Linux
     * @throws IOException if no process listens there, or the address is not this machine's
     */
    public RawHttp(int port, InetAddress from) throws IOException {
        this(port, 0, from);
    }

    private RawHttp(int port, int receiveBuffer, InetAddress from) throws IOException {
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10_000);
        socket.setSoTimeout(30_000);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /**
     * Sends text. Blocks.
     *
     * @param text characters up to 255, one byte each
     * @return this
     * @throws IOException if the connection is closed
     */
    public RawHttp send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Sends bytes. Blocks.
     *
     * @param bytes what to send
     * @return this
     * @throws IOException if the connection is closed
     */
    public RawHttp send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /**
     * Reads one answer; chunks must be complete. Blocks.
     *
     * @return the answer
     * @throws IOException if the connection ends early
     */
    public Answer read() throws IOException {
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

    /**
     * Reads one chunk of a chunked body. Blocks.
     *
     * @return its bytes; none for the last chunk
     * @throws IOException if the connection ends early
     */
    public byte[] chunk() throws IOException {
        int length = Integer.parseInt(line(), 16);
        byte[] chunk = exactly(length);
        line();
        return chunk;
    }

    /**
     * Reads a number of bytes. Blocks.
     *
     * @param count how many
     * @return exactly {@code count} bytes
     * @throws IOException if the connection ends early
     */
    public byte[] exactly(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the connection ended after " + bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    /**
     * Reads a line. Blocks.
     *
     * @return the line without its terminator
     * @throws IOException if the connection ends early
     */
    public String line() throws IOException {
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

    /**
     * Waits for the server to close the connection. Blocks.
     *
     * @return whether the server closes it without sending more bytes
     * @throws IOException if reading fails otherwise
     */
    public boolean isClosedByServer() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    /**
     * Reads until the server closes the connection. Blocks.
     *
     * @return the received bytes, one character each; empty if the connection was reset
     * @throws IOException if reading fails otherwise
     */
    public String untilClosed() throws IOException {
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
