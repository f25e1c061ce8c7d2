package io.dht4j.transport.http.internal.peer;

import io.dht4j.transport.common.calls.PeerCall;
import java.util.concurrent.TimeUnit;

/** The path, headers, statuses and bounds of the protocol between the caller and the called node. */
public final class PeerProtocol {

    /** The path to which peers send frames. */
    public static final String PATH = "/peer/v1/frame";

    /** The header with the time that the caller leaves for the reply, in microseconds. */
    public static final String DEADLINE_HEADER = "Dht-Deadline-Micros";

    /**
     * The header of each request of a peer. Its name begins with {@code Sec-}, so browsers never let a page set it
     * (Fetch, forbidden request-headers): a request with it does not come from a page, under any name of the recipient.
     */
    public static final String PEER_HEADER = "Sec-Dht-Peer";

    /** The value of the header of a peer. */
    public static final String PEER = "1";

    /** The header of an answer that was given before any handler of frames saw the request. */
    public static final String OUTCOME_HEADER = "Dht-Outcome";

    /** The only value of the outcome header. */
    public static final String NOT_SENT = "not-sent";

    /** The status for a request of a caller that must not call. */
    public static final int FORBIDDEN = 403;

    /** The status for a request that there is no room for; 503 is for a node that does not serve. */
    public static final int NO_ROOM = 429;

    /** The longest header section, in bytes. */
    public static final int MAX_HEADERS = 8 * 1024;

    /** The number of calls that a connection carries at a time with HTTP/2. */
    public static final int HTTP2_CALLS = 256;

    /** The window in bytes of an HTTP/2 stream: a larger one would only help over long distances. */
    public static final int HTTP2_STREAM_WINDOW = 1 << 20;

    /** The window in bytes of all streams of a connection together. */
    public static final int HTTP2_CONNECTION_WINDOW = 4 << 20;

    private PeerProtocol() {}

    /** Returns the value of the deadline header for a call that is sent now: the microseconds that it has. */
    public static String deadline(PeerCall call) {
        return Long.toString(Math.max(1, TimeUnit.NANOSECONDS.toMicros(call.deadline() - System.nanoTime())));
    }

    /** Returns a host as URIs have it: an IPv6 address in brackets. */
    public static String hostInUri(String host) {
        return host.indexOf(':') < 0 ? host : "[" + host + "]";
    }
}
