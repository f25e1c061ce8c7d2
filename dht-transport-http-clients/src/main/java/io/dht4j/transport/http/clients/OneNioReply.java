package io.dht4j.transport.http.clients;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerBody;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerReply;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Locale;
import one.nio.net.Socket;
import org.jspecify.annotations.Nullable;

/** Reads the replies on one socket: HTTP/1.1 with a declared length, as peers answer. For one thread at a time. */
final class OneNioReply {

    private final int maxFrameBytes;
    private final byte[] buffer = new byte[PeerProtocol.MAX_HEADERS];
    private long lastUse = System.nanoTime();
    private int lossesBefore;

    private int status;
    private int length;
    private boolean keepsAlive;
    private @Nullable String outcome;

    OneNioReply(int maxFrameBytes) {
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Returns whether the last reply refused the caller itself. */
    boolean isForbidden() {
        return status == PeerProtocol.FORBIDDEN;
    }

    /** Notes that a call that began after this number of losses of the peer has used the connection until now. */
    void used(int losses) {
        lastUse = System.nanoTime();
        lossesBefore = losses;
    }

    /** Returns the number of losses of the peer when the last call began. */
    int lossesBefore() {
        return lossesBefore;
    }

    long unusedNanos() {
        return System.nanoTime() - lastUse;
    }

    /**
     * Reads a reply and ends the call with it. Blocks.
     *
     * @return whether the connection may carry another call
     */
    boolean read(Socket socket, PeerCall call) throws IOException {
        int filled = 0;
        int end = -1;
        while (end < 0) {
            if (filled == buffer.length) {
                throw new ProtocolException("an answer with a head of more than " + buffer.length + " bytes");
            }
            int searchFrom = Math.max(0, filled - 3);
            filled += readSome(socket, filled, buffer.length - filled);
            end = endOfHead(searchFrom, filled);
        }
        parse(new String(buffer, 0, end - 4, ISO_8859_1));
        if (length < 0 || length > maxFrameBytes) {
            call.abandon(PeerReply.unusable(status, length, maxFrameBytes));
            return false;
        }
        PeerBody body = new PeerBody(length);
        int left = length;
        int some = Math.min(left, filled - end);
        boolean alone = some == filled - end;
        body.add(ByteBuffer.wrap(buffer, end, some));
        for (left -= some; left > 0; left -= some) {
            some = readSome(socket, 0, Math.min(left, buffer.length));
            body.add(ByteBuffer.wrap(buffer, 0, some));
        }
        PeerReply.finish(call, status, outcome, body.take());
        return keepsAlive && alone;
    }

    private int readSome(Socket socket, int offset, int most) throws IOException {
        int read = socket.read(buffer, offset, most, 0);
        if (read <= 0) {
            throw new IOException("closed by the peer");
        }
        return read;
    }

    /** Returns where the body begins, or -1. */
    private int endOfHead(int from, int filled) {
        for (int i = from; i + 3 < filled; i++) {
            if (buffer[i] == '\r' && buffer[i + 1] == '\n' && buffer[i + 2] == '\r' && buffer[i + 3] == '\n') {
                return i + 4;
            }
        }
        return -1;
    }

    private void parse(String head) throws ProtocolException {
        String[] lines = head.split("\r\n", -1);
        if (!lines[0].matches("HTTP/1\\.1 [1-5][0-9][0-9].*")) {
            throw new ProtocolException("not an HTTP answer");
        }
        status = Integer.parseInt(lines[0].substring(9, 12));
        length = -1;
        keepsAlive = true;
        outcome = null;
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon < 0) {
                throw new ProtocolException("not an HTTP header");
            }
            String value = lines[i].substring(colon + 1).trim();
            switch (lines[i].substring(0, colon).toLowerCase(Locale.ROOT)) {
                case "content-length" -> length = PeerBody.length(value);
                case "connection" -> keepsAlive = !value.equalsIgnoreCase("close");
                case "dht-outcome" -> outcome = value;
                default -> {}
            }
        }
    }
}
