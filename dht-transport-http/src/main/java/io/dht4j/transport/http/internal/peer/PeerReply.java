package io.dht4j.transport.http.internal.peer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.spi.ConnectFailure;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.common.HttpProblem;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts a peer's answer to the outcome of a call, for all clients. */
public final class PeerReply {

    /** What a peer may be that closes each connection without an answer. */
    public static final String IF_ALWAYS_CLOSED =
            "; if that does not end: does the node there speak HTTP, with TLS or without as this one does?";

    /**
     * In the words of Vert.x, the JDK's HTTP client, one-nio and the system: a peer that has ceased to read may reset.
     */
    private static final Pattern CLOSED =
            Pattern.compile("Connection was closed|received no bytes|Socket closed|Connection reset|Broken pipe");

    /** How much of an error is read: a problem with the longest detail that a node sends, with its escapes. */
    private static final int MAX_ERROR_BYTES = 2_048;

    /** Why a reply is not read for which an array cannot be allocated. */
    public static final String NO_MEMORY = "no memory for the reply";

    private PeerReply() {}

    /**
     * Ends a call with an answer that has come completely.
     *
     * @param outcome the outcome header, if there is one
     */
    public static void finish(PeerCall call, int status, @Nullable String outcome, byte[] body) {
        if (status == 200) {
            call.reply(body);
            return;
        }
        String why = "answered " + status + ": "
                + HttpProblem.detailOf(new String(body, 0, Math.min(body.length, MAX_ERROR_BYTES), UTF_8));
        if (PeerProtocol.NOT_SENT.equals(outcome) && status == PeerProtocol.NO_ROOM) {
            call.noRoom(why);
        } else if (PeerProtocol.NOT_SENT.equals(outcome)) {
            call.refused(why);
        } else {
            call.abandon(why);
        }
    }

    /** Ends a call that brought no answer. Only one that never had a connection was certainly not sent. */
    public static void failed(PeerCall call, Throwable error, Optional<PeerTls> tls) {
        if (tls.isPresent() && !tls.get().hasTrusted()) {
            unconnected(call, "cannot connect: " + reason(error), error);
            return;
        }
        Throwable cause = error;
        while (cause != null) {
            if (cause instanceof ConnectException
                    || cause instanceof UnknownHostException
                    || cause instanceof HttpConnectTimeoutException
                    || cause instanceof UnresolvedAddressException) {
                unconnected(call, "cannot connect: " + reason(cause), cause);
                return;
            }
            cause = cause.getCause();
        }
        call.abandon("connection lost before the reply: " + reason(error));
    }

    /** Ends a call, which the client had taken, for want of a connection: no byte of it was written. */
    public static void unconnected(PeerCall call, String why, Throwable cause) {
        call.unsend();
        call.unconnected(why, cause);
    }

    /** The failure and its cause. */
    public static String reason(Throwable error) {
        return ConnectFailure.inWords(error).orElseGet(() -> outermostAndRoot(error));
    }

    private static String outermostAndRoot(Throwable error) {
        Throwable root = error;
        for (int depth = 0; root.getCause() != null && depth < 20; depth++) {
            root = root.getCause();
        }
        String first = message(error);
        String last = message(root);
        String reason = root == error || first.contains(last) ? first : first + ": " + last;
        return root instanceof ClosedChannelException || CLOSED.matcher(reason).find()
                ? reason + IF_ALWAYS_CLOSED
                : reason;
    }

    private static String message(Throwable error) {
        return error instanceof ClosedChannelException && error.getMessage() == null
                ? "closed"
                : ConnectFailure.message(error);
    }

    /**
     * Why an answer is not read.
     *
     * @param length as declared, -1 if it is not
     */
    public static String unusable(int status, int length, int maxFrameBytes) {
        return "answered " + status + " with "
                + (length < 0 ? "no usable length" : length + " bytes, over the limit of " + maxFrameBytes);
    }
}
